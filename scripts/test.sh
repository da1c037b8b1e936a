#!/usr/bin/env bash
# Creates .venv, installs everything, then checks style, types and behaviour.
#   scripts/test.sh                 the default suite
#   scripts/test.sh --slow          also the tests marked slow and bench
#   scripts/test.sh tests/lattice   any further arguments go to pytest
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/environment.sh "test,bench,docs"

arguments=()
for argument in "$@"; do
    if [ "$argument" = --slow ]; then arguments+=(-m ""); else arguments+=("$argument"); fi
done

"$PYTHON" -m ruff check .
"$PYTHON" -m ruff format --check .
"$PYTHON" -m mypy
# Two processes of one thread; a file stays in one of them, because its tests share what it trains.
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"
exec "$PYTHON" -m pytest -n 2 --dist loadfile "${arguments[@]}"
