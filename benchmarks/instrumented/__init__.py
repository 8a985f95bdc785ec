"""Programs with clocks in them, started by the benchmarks in processes of their own."""
