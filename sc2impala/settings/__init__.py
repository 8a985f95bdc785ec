"""Settings of a run: their declarations, values and flags.

`fields` defines settings, `groups` and `learning` list them, `resolve` finds the
values of missing settings, `validation` checks them, and `setting_flags` turns them into
flags. A new setting is one field of one group. Nothing in here loads TensorFlow.
"""
