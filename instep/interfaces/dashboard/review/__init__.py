"""The review of drafts: the queue, a draft with its evidence, and what is done with it."""
