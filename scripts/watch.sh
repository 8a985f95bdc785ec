#!/usr/bin/env bash
# Makes a virtual environment, or reuses it, and shows a trained agent of the package in a browser.
# Another player and more flags may be given: bash scripts/watch.sh script:PySC2 --map_name=BuildMarines
set -euo pipefail
source "$(dirname "$0")/setup.sh"
case "${1:-}" in
    '' | -*) set -- zoo:MoveToBeacon-scratch "$@" ;;
esac
exec "$VENV/bin/python" -m sc2impala.watch "$@"
