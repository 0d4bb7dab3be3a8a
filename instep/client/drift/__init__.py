"""The command `instep drift`: holds what articles say against the code of a checkout and its history."""
