"""What a change did: renames, new values, rewordings, removals and additions."""
