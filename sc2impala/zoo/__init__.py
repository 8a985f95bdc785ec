"""Trained agents that come with the package, each with a card.

    python -m sc2impala.zoo
    python -m sc2impala.experiment --mode=evaluate --policy=zoo:MoveToBeacon
    sc2impala.load('zoo:MoveToBeacon')

The folder `agents` has an agent per map and kind of training: `DefeatRoaches` after imitation,
`DefeatRoaches-scratch` without demonstrations; `AllMaps` plays all. `publish` adds one.
"""
