"""Commands for a customer's machine, which use only the standard library."""
