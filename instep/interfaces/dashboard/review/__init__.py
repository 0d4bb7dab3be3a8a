"""The review of drafts: the queue, a draft with its evidence, and the decisions on it."""
