# What the scripts share; to be sourced. Afterwards the shell stands at the root of the clone.

cd "$(dirname "${BASH_SOURCE[0]}")/.."

# make_venv FOLDER REQUIREMENTS VERSION PYTHON: makes a virtual environment with the pinned packages
# and an editable install of this one, or reuses it while neither the pins nor setup.py changed.
# Afterwards $VENV/bin holds python. PYTHON may be empty, which is an error if there is work to do.
make_venv() {
    local requirements=$2 version=$3 python=$4 wanted
    VENV=$1
    wanted=$(cat "$requirements" setup.py | sha256sum)
    if [ "$(cat "$VENV/installed" 2>/dev/null)" = "$wanted" ]; then
        return
    fi
    if ! is_python "$version" "$python"; then
        echo "error: $requirements is pinned for Python $version, found: ${python:-none}" >&2
        exit 1
    fi
    echo "installing into $VENV (once, about two minutes)"
    rm -f "$VENV/installed"
    "$python" -m venv "$VENV"
    "$VENV/bin/pip" install --quiet --disable-pip-version-check -r "$requirements"
    "$VENV/bin/pip" install --quiet --disable-pip-version-check --no-deps -e .
    echo "$wanted" >"$VENV/installed"
}

# is_python VERSION COMMAND: whether the command runs Python of this version, such as 3.7.
is_python() {
    [ "$("$2" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)" = "$1" ]
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
