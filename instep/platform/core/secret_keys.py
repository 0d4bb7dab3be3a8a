"""The keys that sign and encrypt: the current one, and previous ones."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from instep.platform.core.config import SettingsError
from instep.platform.core.setting_forms import SECRET_KEY_CHARACTERS, listed_keys
from instep.platform.core.settings import Settings


def secret_key_file(settings: Settings) -> Path:
    """The file with the secret key, used unless a setting contains it."""
    return settings.data_dir / "secret_key"


def secret_key(settings: Settings) -> bytes:
    """The secret key: the setting, or a random one that is created once in the data folder.

    Raises `SettingsError` for a file that is empty or cut off, for example by a full disk, because anyone
    can sign with an empty key.
    """
    if settings.secret_key:
        return settings.secret_key.encode()
    path = secret_key_file(settings)
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        temporary = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(48))
            file.flush()
            os.fsync(file.fileno())
        # A hard link is atomic: of several processes exactly one creates the file, and none reads half a key.
        with suppress(FileExistsError):
            os.link(temporary, path)
        temporary.unlink()
    key = path.read_bytes().strip()
    if len(key) < SECRET_KEY_CHARACTERS:
        raise SettingsError(
            f"{path} has fewer than {SECRET_KEY_CHARACTERS} characters: put the secret key of this"
            " installation there again. Without a copy of it, delete the file: the next start makes a"
            " new key, which does not open the secrets that are stored."
        )
    return key


def previous_secret_keys(settings: Settings) -> tuple[bytes, ...]:
    """Former secret keys in the order of the setting; they decrypt and verify, but never encrypt or sign."""
    return tuple(key.encode() for key in listed_keys(settings.secret_key_previous))
