"""Email through the operator's SMTP server: one function sends a letter, which a job delivers."""
