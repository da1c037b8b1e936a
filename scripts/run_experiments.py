"""The recipe beside tuned LDA, with shorter segments, and with each ingredient taken away.

    SEGTOPIC_DATA=FOLDER python scripts/run_experiments.py                  # what has no figures
    SEGTOPIC_DATA=FOLDER python scripts/run_experiments.py --again          # everything, some hours
    SEGTOPIC_DATA=FOLDER python scripts/run_experiments.py --again --only ap-0 ap-1  # by beginnings
    SEGTOPIC_DATA=FOLDER python scripts/run_experiments.py --again coherence --names ap-0 ap-0-seed1
    python scripts/run_experiments.py --only none                            # the tables only

``CORPUS-SEED`` is the recipe with three words a segment on a split of the corpus, ``-L1`` ..
``-L5`` the same with others, ``-no-X`` without an ingredient, ``-seed1``, ``-seed2`` with another
seed of the training; ``acl5000`` are the first 5,000 of ACL's abstracts. Runs stand in
``runs/exp/NAME``, figures in ``docs/results/experiments/NAME.json``. Runs that are there are kept,
interrupted ones go on, and ``docs/results/experiments.md`` is written anew after each. Where some
figures are there and the run is not, it is trained again for those that are wanted.
"""

import argparse
import json
from collections.abc import Callable, Collection
from typing import Any

from experiments.measures import behind, coherence, phrases, segtopic, steps, train
from experiments.names import COMPARED, GRID, RESULTS, ROOT, RUNS, WITHOUT, coherent, experiments
from experiments.tables import write_tables
from results import Result, keep

PARTS = ("training", "evaluation", "behind", "coherence", "phrases", "comparison", "steps")


def run(name: str, arguments: list[str], again: Collection[str]) -> None:
    """Train and evaluate; put the whole recipe beside LDA and beside shorter segments."""
    folder = RUNS / name

    def store(part: str, make: Callable[[Result], Any]) -> None:
        """What is made of the training's figures, when the run is there."""
        path = RESULTS / f"{name}.json"
        keep(path, part, lambda: make(train(folder, arguments)), again=part in again)

    store("training", lambda training: training)
    shown = str(folder.relative_to(ROOT))
    evaluate = ["evaluate", shown, "--json", "--samples", "1"]
    store("evaluation", lambda _: json.loads(segtopic(*evaluate)))
    recipe, without, _ = name.partition(WITHOUT)
    if without:
        store("behind", lambda _: behind(name, recipe, experiments()[recipe]))
    corpus, *rest = name.split("-")
    if name in coherent():
        store("coherence", lambda _: coherence(folder))
    if rest[1:] or corpus not in COMPARED:  # not the whole recipe, or not beside others
        return
    store("phrases", lambda _: phrases(folder))
    compare = ["compare", shown, "--json", "--no-single-words", *GRID]
    store("comparison", lambda _: json.loads(segtopic(*compare))["models"])
    if all((RUNS / f"{name}-L{length}" / "run.json").exists() for length in (1, 2)):
        store("steps", lambda _: steps(name))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="*", default=[""], help="beginnings of names")
    parser.add_argument("--names", nargs="*", choices=experiments(), help="only these")
    parser.add_argument(
        "--again", nargs="*", choices=PARTS, help="make these figures anew; all if none is named"
    )
    chosen = parser.parse_args()
    again = () if chosen.again is None else chosen.again or PARTS
    for name, arguments in experiments().items():
        wanted = any(name.startswith(beginning) for beginning in chosen.only)
        if wanted and (chosen.names is None or name in chosen.names):
            print(f"running {name}", flush=True)
            run(name, arguments, again)
            write_tables(RESULTS.with_suffix(".md"))
    write_tables(RESULTS.with_suffix(".md"))


if __name__ == "__main__":
    main()
