#!/usr/bin/env bash
# Creates .venv, installs what the documentation needs, and builds the site.
#   scripts/docs.sh                 into build/site/, to be opened from disk or put on a server
#   scripts/docs.sh serve           shows it at http://127.0.0.1:8000 and follows every change
#   scripts/docs.sh serve 8123      at another port
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/environment.sh docs
export NO_MKDOCS_2_WARNING=1

if [ "${1:-build}" = serve ]; then
    exec "$PYTHON" -m mkdocs serve --dev-addr "127.0.0.1:${2:-8000}"
fi
exec "$PYTHON" -m mkdocs build --strict --clean
