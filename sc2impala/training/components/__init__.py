"""The components of a run, one file each; `training.build.build_components` lists them."""
