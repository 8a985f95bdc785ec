"""Sections of a report: each returns HTML, and a sentence in place of data that is missing."""
