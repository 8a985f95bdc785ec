"""Harvesting, building and training: the rules of the two maps with an economy.

The B slots for units that cannot move, for resources and then buildings, follow the M slots for
units that can. Arrays [B] about them have slot M at index 0.
"""
