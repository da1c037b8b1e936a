#!/usr/bin/env bash
# The main job on a fresh machine: creates .venv, installs everything, trains on 300 news stories
# that come with gensim, cuts a new sentence into phrases, and writes a page to look at. One to two
# minutes on two cores; further arguments go to the training.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/environment.sh ""
"$PYTHON" -m segtopic train --config configs/lee.yaml --out runs/lee --overwrite "$@"
echo
echo "phrases of a new sentence, by 'segtopic segment runs/lee --phrases marked':"
echo "Prime Minister Ariel Sharon met the Palestinian leader in the Gaza Strip, while Osama bin Laden's Al Qaeda network was sought in the Tora Bora region of Afghanistan." |
    "$PYTHON" -m segtopic segment runs/lee --phrases marked --format text
"$PYTHON" -m segtopic report runs/lee
