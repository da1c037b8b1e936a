"""The recipe beside tuned LDA, with shorter segments, and with each ingredient taken away.

    SEGTOPIC_DATA=FOLDER python scripts/run_experiments.py                  # what has no figures
    SEGTOPIC_DATA=FOLDER python scripts/run_experiments.py --again          # everything, some hours
    SEGTOPIC_DATA=FOLDER python scripts/run_experiments.py --again --only ap-0 ap-1  # by beginnings
    python scripts/run_experiments.py --only none                            # the tables only

``CORPUS-SEED`` is the recipe with three words a segment on a split of the corpus, ``-L1`` ..
``-L5`` the same with others, ``-no-X`` without an ingredient, ``-seed1``, ``-seed2`` with another
seed of the training; ``acl5000`` are the first 5,000 of ACL's abstracts. Runs stand in
``runs/exp/NAME``, figures in ``docs/results/experiments/NAME.json``. Runs that are there are kept,
interrupted ones go on, and ``docs/results/experiments.md`` is written anew after each.
"""

import argparse
import json
from functools import partial

from experiments.measures import coherence, phrases, segtopic, steps, train
from experiments.names import COMPARED, GRID, RESULTS, ROOT, RUNS, coherent, experiments
from experiments.tables import write_tables
from results import keep


def run(name: str, arguments: list[str], again: bool) -> None:
    """Train and evaluate; put the whole recipe beside LDA and beside shorter segments."""
    folder = RUNS / name
    store = partial(keep, RESULTS / f"{name}.json", again=again)
    store("training", partial(train, folder, arguments))
    shown = str(folder.relative_to(ROOT))
    evaluate = ["evaluate", shown, "--json", "--samples", "1"]
    store("evaluation", lambda: json.loads(segtopic(*evaluate)))
    corpus, *rest = name.split("-")
    if name in coherent():
        store("coherence", partial(coherence, folder))
    if rest[1:] or corpus not in COMPARED:  # not the whole recipe, or not beside others
        return
    store("phrases", partial(phrases, folder))
    compare = ["compare", shown, "--json", "--no-single-words", *GRID]
    store("comparison", lambda: json.loads(segtopic(*compare))["models"])
    if all((RUNS / f"{name}-L{length}" / "run.json").exists() for length in (1, 2)):
        store("steps", partial(steps, name))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="*", default=[""], help="beginnings of names")
    parser.add_argument("--again", action="store_true", help="make figures that are there anew")
    chosen = parser.parse_args()
    for name, arguments in experiments().items():
        if any(name.startswith(beginning) for beginning in chosen.only):
            print(f"running {name}", flush=True)
            run(name, arguments, chosen.again)
            write_tables(RESULTS.with_suffix(".md"))
    write_tables(RESULTS.with_suffix(".md"))


if __name__ == "__main__":
    main()
