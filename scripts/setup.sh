# Makes .venv in the clone with the pinned packages, or reuses it; to be sourced. Afterwards the
# shell stands at the root of the clone and $VENV/bin holds python.

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
make_venv .venv requirements.txt 3.11 \
    "${PYTHON:-$(command -v python3.11 || command -v python3 || true)}"
