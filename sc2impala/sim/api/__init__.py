"""The simulated mini-games behind Blizzard's SC2 API, so that an unmodified PySC2 can play them.

    python -m sc2impala.sim.api install ~/standin
    export SC2PATH=~/standin

The folder then looks to PySC2 like the game: what it starts in there is `server`, a process that
listens on loopback and answers one client. A request goes through `websocket` (transport),
`session` (what is allowed when) and `match` (the game that is played); `calls` and `raw` read
actions, `observations`, `images` and `raw` write what is seen. NumPy and the messages of the
protocol are all that is loaded.
"""
