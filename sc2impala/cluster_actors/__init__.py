"""Actor processes of a cluster, and its launcher; see docs/guides/cluster.md."""
