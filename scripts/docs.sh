#!/usr/bin/env bash
# Serves the documents as a site on http://127.0.0.1:8000 and rebuilds it when a file changes;
# arguments go to mkdocs: bash scripts/docs.sh build --strict
set -euo pipefail
source "$(dirname "$0")/setup.sh"
export NO_MKDOCS_2_WARNING=1
exec "$VENV/bin/mkdocs" "${@:-serve}"
