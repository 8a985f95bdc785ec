# Makes .venv in the clone with the pinned packages, or reuses it; to be sourced. PYTHON names the
# Python to use. Afterwards the shell stands at the root of the clone and $VENV/bin holds python.

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
make_venv .venv requirements.txt '3.11 3.12 3.13' "$(find_python)"
