"""Running an installation: health endpoints, pruning, the doctor, the list of routes."""
