"""Population based training: runs that copy each other's weights and perturb settings.

`settings` are the flags, `ranges` samples settings of members, `selection` selects parents,
`state` is saved, `members` has the commands and folders of the runs, `jobs` runs them, and
`driver` combines them; `report` writes the table and `picture` draws it.
docs/guides/populations.md is the manual.
"""
