"""Numbers of rows of observations; needs no compiler."""

MAX_FEATURE_UNITS = 256
"""Rows of `feature_units`: more units than the supply limit and the room for buildings allow."""

MAX_SELECTED = 64
"""Rows of `multi_select`; if more units are selected, the first ones are listed."""

MAX_ALERTS = 8
"""Rows of `alerts`: more than the number of different alerts."""

MAX_QUEUE = 5  # [S] GD
"""Rows of `build_queue` and `production_queue`: the units that one building trains."""
