"""New entries next to their siblings in lists, tables and sections, or else a note."""
