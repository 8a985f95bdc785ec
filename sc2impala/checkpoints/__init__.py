"""Checkpoints: directories that are written, verified, chosen and transferred as a whole."""
