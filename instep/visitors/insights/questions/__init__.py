"""Questions that the published articles did not answer, and the drafts made from them."""
