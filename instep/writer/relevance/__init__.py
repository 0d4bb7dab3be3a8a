"""Which articles a change concerns, whether any needs an edit, and which get a draft."""
