"""Factories: specs, environments, scripts and agents of a run, from its settings."""
