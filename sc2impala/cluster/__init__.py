"""Protocol between a learner and actors in other processes; see docs/cluster.md.

`board` says what a run is, `messages` how sequences travel, `accounts` keeps the books. `intake` is
the learner's end of the queue; `link`, `outbox` and `weights` are the actor's side. With central
inference `requests` says what travels in their place, `desk` and `inference` are the learner's end,
and `inference_client` is the actor's side.
"""
