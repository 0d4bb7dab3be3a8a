"""What visitors read and search, without a word about who they are."""
