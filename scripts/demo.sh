#!/usr/bin/env bash
# The main job on a fresh machine: creates .venv, installs everything, and trains on 300 news
# stories that come with gensim. About a minute on two cores; further arguments go to the command.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/environment.sh ""
exec "$PYTHON" -m segtopic train --config configs/lee.yaml --out runs/lee --overwrite "$@"
