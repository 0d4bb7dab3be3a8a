"""The command `instep draft`: the review queue of a server elsewhere, read and settled at a terminal."""

from typing import Literal

# What to do when an article has changed since an edit of it was proposed.
OnConflict = Literal["merge", "overwrite", "fail"]
# Why a draft is dismissed.
DismissalReason = Literal["not_needed", "wrong_article", "wrong_text", "duplicate", "later"]
