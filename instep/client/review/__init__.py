"""The command `instep draft`: read and settle the review queue of a remote server in a terminal."""

from typing import Literal

# The action if an article has changed since an edit of it was proposed.
OnConflict = Literal["merge", "overwrite", "fail"]
# Why a draft is dismissed.
DismissalReason = Literal["not_needed", "wrong_article", "wrong_text", "duplicate", "later"]
