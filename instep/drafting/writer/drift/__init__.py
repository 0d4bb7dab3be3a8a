"""Articles held against a history: what past changes have made wrong, and today's code still contradicts."""
