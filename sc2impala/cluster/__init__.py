"""Protocol between a learner and actors in other processes; see docs/guides/cluster.md.

`run_info` describes the run, `messages` encodes sequences, `accounts` counts frames per actor.
`intake` is the learner's end of the queue; `link`, `outbox` and `weights` are the actor's side.
With central inference, `requests` encodes requests and replies, `inference_server` and `inference`
are the learner's end, and `inference_client` is the actor's side.
"""
