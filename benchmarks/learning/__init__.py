"""What agents learn on the mini-games, and how that compares with published scores."""
