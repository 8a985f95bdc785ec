"""Critic pre-training: the baseline learns the returns of a fixed policy."""
