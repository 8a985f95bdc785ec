#!/usr/bin/env bash
# Checks formatting and types and runs the test suite; arguments go to pytest. What takes minutes is
# left out: bash scripts/test.sh -m slow. Two processes share the tests; -n 0 runs them in one.
set -euo pipefail
source "$(dirname "$0")/setup.sh"
"$VENV/bin/ruff" format --check .
"$VENV/bin/ruff" check .
"$VENV/bin/mypy"
run_tests "$@"
