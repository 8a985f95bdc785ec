"""R2D2: recurrent Q learning from replayed sequences."""
