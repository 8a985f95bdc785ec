"""A viewer of decisions: recorded episodes with the policy, on a page without a network."""
