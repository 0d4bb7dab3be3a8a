"""`instep demo`: a help center with Instep's own documentation, and drafts for a real code change."""
