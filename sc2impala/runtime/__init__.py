"""What runs a training or an evaluation: sessions, hooks, checkpoints, logs, pictures."""
