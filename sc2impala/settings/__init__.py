"""Settings of a run: what they are, where their values come from, and the flags made of them.

`fields` says what a setting is, `groups` and `learning` list the settings, `resolve` finds the
value of a setting that was not given, `validation` checks them, and `setting_flags` turns them into
flags. A new setting is one field of one group. Nothing in here loads TensorFlow.
"""
