"""Errors of backups and restores, which tell the operator what to do."""

from instep.platform.core.errors import Unusable


class BackupFailed(Unusable):
    """No backup was made; the message says why."""


class BackupRefused(Unusable):
    """The file is not a backup that can be restored; nothing was changed."""


class RestoreRefused(Unusable):
    """This installation can't be restored into; nothing was changed."""


class RestoreFailed(Unusable):
    """A restore was interrupted; the database is marked, so that no server uses it."""


class Stopped(Exception):
    """The process was asked to end while making a backup."""
