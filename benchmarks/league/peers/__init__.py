"""One program per peer, run inside the environment of that peer.

    python -m benchmarks.league.peers.stable_baselines3 --task=speed --cores=2

A program trains until it is stopped, and reports through `reporting.Reporter`. Each one keeps to
the settings that the peer's documents advise; where it differs, its docstring says so.
"""
