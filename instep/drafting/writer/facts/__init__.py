"""The facts of a change: renames, new values, rewordings, removals and additions."""
