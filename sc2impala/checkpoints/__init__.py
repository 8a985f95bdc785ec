"""Checkpoints: directories that are written, verified, chosen and handed over as a whole."""
