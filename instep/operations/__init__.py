"""Keeping an installation running: health, metrics, key rotation, backups."""
