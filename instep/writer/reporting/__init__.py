"""What a reviewer is told: why an edit, why none, and what to look at."""
