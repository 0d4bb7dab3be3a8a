"""The public help center: reads only, and only what is live and public."""
