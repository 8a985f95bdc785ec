"""Behaviour cloning: the agent imitates the labels of a demonstrator."""
