"""`instep demo`: a help center with Instep's own documentation and one real change of its code in review."""
