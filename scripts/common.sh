# What the scripts share; to be sourced. Afterwards the shell stands at the root of the clone.

cd "$(dirname "${BASH_SOURCE[0]}")/.."

# make_venv FOLDER REQUIREMENTS VERSIONS PYTHON: makes a virtual environment with the pinned packages
# and an editable install of this one, or reuses it while neither the pins nor setup.py changed.
# Afterwards $VENV/bin holds python. PYTHON may be empty, which is an error if there is work to do.
make_venv() {
    local requirements=$2 versions=$3 python=$4 wanted
    VENV=$1
    wanted=$(cat "$requirements" setup.py | sha256sum)
    if [ "$(cat "$VENV/installed" 2>/dev/null)" = "$wanted" ]; then
        return
    fi
    if ! is_python "$versions" "$python"; then
        echo "error: $requirements is pinned for Python ${versions// /, }, found: ${python:-none};" \
            'set PYTHON=/path/to/python' >&2
        exit 1
    fi
    echo "installing into $VENV (once, about two minutes)"
    rm -f "$VENV/installed"
    "$python" -m venv "$VENV"
    local install=("$VENV/bin/pip" install --quiet --disable-pip-version-check --no-compile)
    "${install[@]}" -r "$requirements"
    "${install[@]}" --no-deps -e .
    # Most modules of TensorFlow are never imported. Those that are get compiled here, as
    # PYTHONDONTWRITEBYTECODE, which is common in containers, lets each start compile them again.
    "$VENV/bin/python" -m compileall -q sc2impala
    env -u PYTHONDONTWRITEBYTECODE "$VENV/bin/python" -c '
from sc2impala import tf_setup
tf_setup.enable()
import matplotlib.pyplot, numba, sonnet, tensorflow.compat.v1'
    echo "$wanted" >"$VENV/installed"
}

# is_python VERSIONS COMMAND: whether the command runs Python of one of these versions, such as
# '3.11 3.12'.
is_python() {
    local found
    found=$("$2" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || return
    [[ " $1 " == *" $found "* ]]
}

# find_python: prints $PYTHON, else the first of python3.11, python3.12, python3.13 and python3 that
# runs one of these versions, else python3. A shim of pyenv may not run, so each is tried.
find_python() {
    local candidate
    if [ -n "${PYTHON:-}" ]; then
        echo "$PYTHON"
        return
    fi
    for candidate in python3.11 python3.12 python3.13 python3; do
        if is_python '3.11 3.12 3.13' "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    command -v python3 || true
}

# find_python37: prints $PYTHON37, else python3.7, else the newest Python 3.7 of pyenv; fails if
# there is none. A python3.7 on PATH may be a shim of pyenv that does not run, so it is tried.
find_python37() {
    local root candidate
    if [ -n "${PYTHON37:-}" ]; then
        echo "$PYTHON37"
        return
    fi
    if is_python 3.7 python3.7; then
        echo python3.7
        return
    fi
    root=${PYENV_ROOT:-$HOME/.pyenv}
    while read -r candidate; do
        if is_python 3.7 "$candidate"; then
            echo "$candidate"
            return
        fi
    done < <(printf '%s\n' "$root"/versions/3.7.*/bin/python3.7 | sort --version-sort --reverse)
    return 1
}

# run_tests ARGUMENTS...: the suite, shared by two processes; the arguments go to pytest.
run_tests() {
    "$VENV/bin/python" -m pytest -q -n 2 --dist worksteal "$@"
}
