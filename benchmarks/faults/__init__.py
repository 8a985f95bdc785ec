"""Faults that a training has to survive: signals, disks and damaged files."""
