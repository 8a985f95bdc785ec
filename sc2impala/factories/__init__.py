"""Factories: specs, environments, scripts and agents of a run, out of its settings."""
