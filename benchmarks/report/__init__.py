"""Writes docs/performance.md from the results of the benchmarks."""
