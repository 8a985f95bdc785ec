"""Evaluation: players, episodes, tables, pictures, recordings, and loaded agents."""
