#!/usr/bin/env bash
# A learner and N actors on this machine, which end together; see docs/guides/cluster.md:
#   bash scripts/cluster.sh 4 --logdir=runs/beacon --map_name=MoveToBeacon --num_envs=16
# Where the system allows it they run in a separate network namespace, which nobody else can reach.
# --network=host before the number uses the network of the machine, which actors on other machines
# need.
set -euo pipefail
source "$(dirname "$0")/common.sh"
PYTHON=${PYTHON:-$([ -x .venv/bin/python ] && echo .venv/bin/python || echo python3)}
run=("$PYTHON" -m sc2impala.cluster_actors.launch)
if [ "${1:-}" = --network=host ]; then
    shift
    echo 'the port of the learner is open on all interfaces of this machine'
elif unshare --user --map-root-user --net ip link set lo up 2>/dev/null; then
    exec unshare --user --map-root-user --net bash -c 'ip link set lo up && exec "$@"' - \
        "${run[@]}" "$@"
else
    echo 'network namespaces are not allowed here: the port of the learner is open on all interfaces'
fi
exec "${run[@]}" "$@"
