#!/usr/bin/env bash
# Trains MoveToBeacon on the simulator for a few minutes, evaluates the agent on 100 episodes, and
# leaves everything in runs/quickstart. More flags may be given, e.g. another seed:
#   bash scripts/quickstart.sh --seed=1 --logdir=runs/quickstart-1
set -euo pipefail
source "$(dirname "$0")/setup.sh"
flags=(--logdir=runs/quickstart --map_name=MoveToBeacon --agent=fully_conv_lstm
    --fixed_step_mul --step_mul=6 --discounting_per_frame --total_environment_frames=2400000 "$@")
"$VENV/bin/python" -m sc2impala.experiment "${flags[@]}"
"$VENV/bin/python" -m sc2impala.experiment "${flags[@]}" --mode=evaluate --num_episodes=100 \
    --policy=sampled --animation --curve
