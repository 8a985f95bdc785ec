"""Evaluation: players, episodes, tables, pictures, recordings, and agents that are loaded."""
