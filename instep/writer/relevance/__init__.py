"""Which articles a change concerns, whether any needs an edit, and which are likely enough for a draft."""
