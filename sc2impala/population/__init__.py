"""Population based training: runs that take over each other's weights and change their settings.

`settings` are the flags, `ranges` what the settings of members are drawn from, `selection` decides,
`state` remembers, `members` knows the commands and folders of the runs, `jobs` runs them, and
`driver` puts it together; `report` writes the table and `picture` draws it.
docs/guides/populations.md is the manual.
"""
