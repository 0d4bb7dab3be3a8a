"""Tasks: a code change comes in, the writer reads it, drafts come out."""
