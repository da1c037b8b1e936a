"""The paper's table of predictive log likelihoods, cell by cell, beside the paper's figures.

    SEGTOPIC_DATA=FOLDER python scripts/reproduce_table.py                # everything
    SEGTOPIC_DATA=FOLDER python scripts/reproduce_table.py --cells ap-hidden150 ap-lda
    python scripts/reproduce_table.py --cells none                   # write the table only

A cell is one training with ``configs/paper/CELL.yaml`` in ``runs/paper/CELL``, or one gensim LDA
(``ap-lda100`` .. ``citeulike-lda300``). Finished cells are kept, interrupted ones go on, and
``docs/results/table.md`` is written anew after each; it says which cells were run.
"""

import argparse
import json
from pathlib import Path

from segtopic.commands.arguments import command_parser, parse, settings
from segtopic.config import CorpusConfig, RunConfig, TrainerConfig
from segtopic.corpus import prepare_corpus
from segtopic.evaluate.baselines import fit_gensim, score
from segtopic.evaluate.heldout import HeldOut
from segtopic.evaluate.predictive import evaluate_model
from segtopic.training import load_run, train
from segtopic.training.folder import CONFIG, RUN

ROOT = Path(__file__).parent.parent
CORPORA = ("ap", "citeulike")
PAPER = {  # Wang et al. 2017, table 1
    "ap-lda": {100: -9.25, 150: -9.23, 200: -9.22, 250: -9.23, 300: -9.22},
    "citeulike-lda": {100: -7.86, 150: -7.85, 200: -7.83, 250: -7.82, 300: -7.82},
    "ap-hidden100-L": {1: -8.42, 2: -8.31, 3: -8.29},
    "ap-hidden150-L": {1: -8.38, 2: -8.30, 3: -8.28},
    "ap-hidden200-L": {1: -8.41, 2: -8.32, 3: -8.30},
    "citeulike-hidden100-L": {1: -8.12, 2: -7.68, 3: -7.61},
    "citeulike-hidden150-L": {1: -8.12, 2: -7.67, 3: -7.60},
    "citeulike-hidden200-L": {1: -8.13, 2: -7.67, 3: -7.61},
}
CELLS = {f"{name}{n}": figure for name, row in PAPER.items() for n, figure in row.items()}


def run_cell(cell: str, runs: Path) -> None:
    """Train or fit, evaluate on the test documents, and write ``result.json``."""
    folder = runs / cell
    corpus_name, _, kind = cell.partition("-")
    if kind.startswith("lda"):
        corpus = prepare_corpus(CorpusConfig(data=corpus_name)).load()
        split = corpus.split()
        parts = [corpus.documents.select(part) for part in (split.train, split.test)]
        topics = int(kind.removeprefix("lda"))
        lda = fit_gensim(parts[0], len(corpus.vocabulary), topics, eta=0.1)
        result: dict[str, float] = {"mean": score(lda, HeldOut.of(parts[1])).per_word}
        folder.mkdir(parents=True, exist_ok=True)
    else:
        parser = command_parser("train", "", RunConfig, trainer=TrainerConfig)
        config = settings(
            parse(parser, ["--config", str(ROOT / "configs" / "paper" / f"{cell}.yaml")]), RunConfig
        )
        if (folder / RUN).exists():
            run = load_run(folder)
        else:
            run = train(config, folder, resume=(folder / CONFIG).exists())
        corpus = run.corpus()
        test = corpus.documents.select(run.split(corpus).test)
        evaluation = evaluate_model(run.model, test, refine_steps=30, n_samples=5)
        result = {
            "mean": evaluation.mean.per_word,
            "refined": evaluation.refined.per_word,
            "kl": evaluation.kl,
            "active": evaluation.active_topics,
            "segment_length": evaluation.segment_length,
            "epochs": run.results["epochs"],
        }
    (folder / "result.json").write_text(json.dumps(result))


def write_table(runs: Path, path: Path) -> None:
    """All cells, those that were run with their figures."""
    lines = [
        "# The paper's table",
        "",
        "Mean log likelihood per scored word on test documents, by the encoder's mean as in the",
        "paper; made by `python scripts/reproduce_table.py`. Cells without a figure were not run.",
        "Our split, tokeniser and LDA (gensim, eta 0.1) are not the paper's; citeulike is what was",
        "found (the first 1,929 articles, or all 16,980). A divergence near 0 means that the model",
        "ignores its topics, and a segment length of 1.00 that it uses no phrases.",
        "",
        "| cell | paper | here | refined | divergence | active topics | segment length | epochs |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for cell, figure in CELLS.items():
        result_path = runs / cell / "result.json"
        result = json.loads(result_path.read_text()) if result_path.exists() else {}
        columns = [
            f"{result[name]:{form}}" if name in result else ""
            for name, form in (
                ("mean", ".3f"),
                ("refined", ".3f"),
                ("kl", ".2f"),
                ("active", "d"),
                ("segment_length", ".2f"),
                ("epochs", "d"),
            )
        ]
        lines.append(f"| {cell} | {figure:.2f} | {' | '.join(columns)} |")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cells", nargs="*", default=[""], help="beginnings of cells' names")
    parser.add_argument("--runs", type=Path, default=ROOT / "runs" / "paper")
    parser.add_argument("--table", type=Path, default=ROOT / "docs" / "results" / "table.md")
    arguments = parser.parse_args()
    for cell in CELLS:
        wanted = any(cell.startswith(begin) for begin in arguments.cells)
        if wanted and not (arguments.runs / cell / "result.json").exists():
            print(f"running {cell}", flush=True)
            run_cell(cell, arguments.runs)
            write_table(arguments.runs, arguments.table)
    write_table(arguments.runs, arguments.table)


if __name__ == "__main__":
    main()
