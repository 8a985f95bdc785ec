"""A training run: `build` lists what it is made of, `loop` runs it, `components` are its parts."""
