"""Actor processes of a cluster, and its launcher; see docs/cluster.md."""
