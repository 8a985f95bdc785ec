"""Drawing of observations and actions: colors of layers, panels, markers and captions.

NumPy, Pillow and the color maps of matplotlib; no display. `evaluation.pictures` makes animations
of these, `envs.gym` single pictures.
"""
