"""Commands for a customer's machine, with the standard library alone."""
