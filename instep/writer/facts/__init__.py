"""What a change says: renames, new values, rewordings, and what it defines anew."""
