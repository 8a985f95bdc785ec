"""A training run: `build` lists its parts, `components` are the parts, `loop` runs them."""
