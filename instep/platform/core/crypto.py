"""Secrets at rest: AES-256-GCM, bound to their rows, with keys derived from the installation's secret key."""

import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from instep.platform.core.config import settings
from instep.platform.core.secret_keys import previous_secret_keys, secret_key

ID_BYTES = 4
KEY_BYTES = 32
NONCE_BYTES = 12
PURPOSE = b"instep secrets at rest"


class Unreadable(Exception):
    """The secret was encrypted with another key or for another row, or it was altered."""


class KeyRing:
    """Encrypts with the newest key and decrypts with all; a sealed secret is key id, nonce and ciphertext.

    `place` is the associated data (table, column, workspace, row), so a copy in another row is useless.
    """

    def __init__(self, newest: bytes, *older: bytes) -> None:
        derived_keys = [derive(secret) for secret in (newest, *older)]
        self.newest = derived_keys[0][0]
        self.keys = dict(reversed(derived_keys))

    def seal(self, secret: str, *place: str) -> bytes:
        nonce = os.urandom(NONCE_BYTES)
        return (
            self.newest
            + nonce
            + self.keys[self.newest].encrypt(nonce, secret.encode(), associated_data(place))
        )

    def is_sealed_by_newest(self, sealed: bytes) -> bool:
        """True if the newest key encrypted this."""
        return sealed[:ID_BYTES] == self.newest

    def open(self, sealed: bytes, *place: str) -> str:
        key = self.keys.get(sealed[:ID_BYTES])
        nonce, ciphertext = sealed[ID_BYTES:][:NONCE_BYTES], sealed[ID_BYTES + NONCE_BYTES :]
        if key is None or len(nonce) < NONCE_BYTES:
            raise Unreadable
        try:
            return key.decrypt(nonce, ciphertext, associated_data(place)).decode()
        except InvalidTag:
            raise Unreadable from None


def key_ring() -> KeyRing:
    """The key ring of this installation: `INSTEP_SECRET_KEY` and `INSTEP_SECRET_KEY_PREVIOUS`."""
    return KeyRing(secret_key(settings()), *previous_secret_keys(settings()))


def derive(secret: bytes) -> tuple[bytes, AESGCM]:
    """The id of a key, which is part of each sealed secret, and the key."""
    material = HKDF(SHA256(), ID_BYTES + KEY_BYTES, salt=None, info=PURPOSE).derive(secret)
    return material[:ID_BYTES], AESGCM(material[ID_BYTES:])


def associated_data(place: tuple[str, ...]) -> bytes:
    return ":".join(place).encode()
