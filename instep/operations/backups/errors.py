"""Errors of backups and restores, which tell the operator what to do."""

from instep.platform.core.errors import Unusable


class BackupFailed(Unusable):
    """No backup was made; the message says why."""


class BackupRefused(Unusable):
    """The file is no backup that can be restored; nothing was touched."""


class RestoreRefused(Unusable):
    """The installation can't be restored into; nothing was touched."""


class RestoreFailed(Unusable):
    """A restore broke off; the database is marked, so that no server uses it."""


class Stopped(Exception):
    """The process is asked to end while it makes a backup."""
