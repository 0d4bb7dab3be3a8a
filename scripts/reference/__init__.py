"""Pages of `docs/help` that are written from the code, for `make reference`."""
