"""The stand-in: the simulated mini-games served over Blizzard's SC2 API, for an unmodified PySC2.

    python -m sc2impala.sim.api install ~/standin
    export SC2PATH=~/standin

To PySC2 the folder looks like an installation of the game. The binary that it starts there runs
`server`, a process that listens on loopback and serves one client. A request passes through
`websocket` (transport), `session` (the states of the protocol) and `match` (the game); `calls` and
`raw` read actions, `observations` and `raw` write observations. Only NumPy and the
protocol's messages are imported.
"""
