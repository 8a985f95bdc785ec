"""Checks of the simulator and of the stand-in for StarCraft II."""
