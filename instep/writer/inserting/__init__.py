"""New entries beside their siblings in lists, tables and sections; else a note where it belongs."""
