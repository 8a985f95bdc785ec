"""Faults that a run must survive: signals, disks and damaged files."""
