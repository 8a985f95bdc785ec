# Makes .venv in the clone with the pinned packages, or reuses it; to be sourced. Afterwards the
# shell stands at the root of the clone and $VENV/bin holds python.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
VENV=.venv
wanted=$(cat requirements.txt setup.py | sha256sum)
if [ "$(cat "$VENV/installed" 2>/dev/null)" != "$wanted" ]; then
    python=${PYTHON:-$(command -v python3.11 || command -v python3 || true)}
    if ! "$python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; then
        echo "error: PYTHON=${python:-} is not Python 3.11, for which requirements.txt is pinned" >&2
        exit 1
    fi
    echo "installing into $VENV (once, about two minutes)"
    rm -f "$VENV/installed"
    "$python" -m venv "$VENV"
    "$VENV/bin/pip" install --quiet --disable-pip-version-check -r requirements.txt
    "$VENV/bin/pip" install --quiet --disable-pip-version-check --no-deps -e .
    echo "$wanted" >"$VENV/installed"
fi
