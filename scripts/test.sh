#!/usr/bin/env bash
# Checks formatting and types and runs the test suite; arguments go to pytest. Left out are tests that
# take seconds each, such as whole runs, and minutes: -m 'long and not slow', and -m slow.
# Two processes share the tests; -n 0 runs them in one.
set -euo pipefail
source "$(dirname "$0")/setup.sh"
"$VENV/bin/ruff" format --check .
"$VENV/bin/ruff" check .
"$VENV/bin/mypy"
run_tests "$@"
