# Sourced by demo.sh, docs.sh and test.sh: brings .venv up to date and sets PYTHON.
# Usage: source scripts/environment.sh EXTRAS   (EXTRAS as in setup.cfg, for example "test,bench")
#
# torch is installed first and alone, at the pinned version, so that no other package can pull in
# a larger build. A stamp records what was installed; nothing is installed while it is unchanged.
extras="${1:-}"
VENV="${SEGTOPIC_VENV:-.venv}"
PYTHON="$VENV/bin/python"
wanted="$(cat setup.cfg pyproject.toml scripts/constraints.txt scripts/environment.sh | sha256sum | cut -d' ' -f1)"
stamp="$VENV/.installed-${extras:-none}"

if [ ! -x "$PYTHON" ] || [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ]; then
    [ -x "$PYTHON" ] || "${SEGTOPIC_PYTHON:-python3}" -m venv "$VENV"
    echo "Installing segtopic and its pinned dependencies into $VENV ..."
    install=("$PYTHON" -m pip install --quiet --disable-pip-version-check -c scripts/constraints.txt)
    "${install[@]}" torch
    "${install[@]}" --editable ".${extras:+[$extras]}"
    echo "$wanted" > "$stamp"
fi
