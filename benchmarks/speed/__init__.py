"""Benchmarks of speed. `performance` runs all of them and writes docs/performance.md."""
