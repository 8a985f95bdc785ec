#!/usr/bin/env bash
# Runs the test suite on TensorFlow 1.15 and Python 3.7, in .venv-tf115; arguments go to pytest.
# PYTHON37 names the Python to use, by default python3.7 or the newest Python 3.7 of pyenv.
set -euo pipefail
source "$(dirname "$0")/common.sh"
if ! python=$(find_python37); then
    echo 'error: TensorFlow 1.15 needs Python 3.7: neither python3.7 nor pyenv has one; set' \
        'PYTHON37=/path/to/python3.7' >&2
    exit 1
fi
make_venv .venv-tf115 requirements-tf115.txt 3.7 "$python"
run_tests "$@"
