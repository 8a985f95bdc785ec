"""Measurements of speed and checks of the simulator, each run as a module from the clone's root.

* `speed`: what the throughput of training and of its parts is measured with;
* `learning`: the table of what agents reach on the mini-games, beside published scores;
* `checks`: comparisons with published scores and agents, and a fuzzer of the protocol server;
* `league`: other trainers on the same work, each in an environment of its own;
* `workload`: builds trainings and their parts from command-line flags, for all of these. It is the
  only module here that uses `sc2impala.runtime`, `learner`, `actors`, `settings` or `experiment`,
  but for pictures;
* `timing`, `flops`, `subprocesses`: how durations, arithmetic and other processes are measured;
* `instrumented`: programs under measurement, with clocks in them;
* `report`: tables and template of docs/performance.md.
"""

import os

USER_ENVIRONMENT = dict(os.environ)
"""Variables of the environment as they were before `sc2impala.tf_setup` set its own."""
