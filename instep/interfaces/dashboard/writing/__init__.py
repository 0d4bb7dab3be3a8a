"""The editor: articles and changelog entries are written, saved and published here."""
