#!/usr/bin/env bash
# The main job on a fresh machine: creates .venv, installs everything, shows segtopic at work.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/environment.sh ""
exec "$PYTHON" scripts/demo_lattice.py
