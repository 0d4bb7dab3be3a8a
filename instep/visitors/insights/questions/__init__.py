"""Questions that the published articles did not answer, and the drafts that are built from them."""
