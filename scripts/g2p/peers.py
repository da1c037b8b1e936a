"""Programs of others on the same words: trained with their own settings, judged like ours."""

import json
import subprocess
import sys
from pathlib import Path

import results

from g2p.data import Data
from g2p.figures import error_figures
from g2p.page import KEPT
from segtopic.swan.error_rates import count_errors
from segtopic.swan.pairs import pairs_of, read_entries


def phonetisaurus(runs: Path) -> None:
    """The n-gram transducer of the package ``phonetisaurus``, with its own settings."""
    data, folder = Data(), runs / "phonetisaurus"
    folder.mkdir(parents=True, exist_ok=True)
    model, lexicon = (folder / name for name in ("model.fst", "lexicon.txt"))
    command = [sys.executable, "-m", "phonetisaurus"]
    if not model.exists():
        pairs = pairs_of(read_entries(data.folder / "g014b2b.train"))
        lines = [f"{''.join(pair.inputs)} {' '.join(pair.outputs)}\n" for pair in pairs]
        lexicon.write_text("".join(lines))
        files = ["--corpus", str(folder / "corpus.txt"), "--model", str(model), str(lexicon)]
        subprocess.run([*command, "train", *files], check=True)
    words = ["".join(entry.inputs) for entry in data.test]
    said = subprocess.run(
        [*command, "predict", "--model", str(model)],
        input="\n".join(words) + "\n",
        text=True,
        capture_output=True,
        check=True,
    ).stdout
    outputs = dict(line.split(" ", 1) for line in said.splitlines() if " " in line)
    references = [entry.references for entry in data.test]
    found = [outputs.get(word, "").split() for word in words]
    figures = error_figures(lambda: count_errors(found, references), folder / "best.npz")
    results.keep(KEPT / "phonetisaurus.json", "best", lambda: figures, again=True)
    print(json.dumps(figures))
