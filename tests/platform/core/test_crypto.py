"""Secrets at rest can be decrypted only with their own key, in their own row, and if unaltered."""

import pytest

from instep.platform.core.crypto import KeyRing, Unreadable

PLACE = ("webhook_secrets", "sealed", "ws_acme", "whs_1")
OLD, NEW = b"an old secret key of an installation", b"a new secret key of an installation"


@pytest.mark.parametrize("secret", ["whsec_Zm9yIHRlc3Rz", "", "ü 🔑"])
def test_sealed_secret_opens_in_its_place(secret: str) -> None:
    assert KeyRing(NEW).open(KeyRing(NEW).seal(secret, *PLACE), *PLACE) == secret


def test_the_secret_does_not_show_and_no_two_seals_are_alike() -> None:
    ring = KeyRing(NEW)
    sealed = [ring.seal("whsec_secret", *PLACE) for _ in range(100)]

    assert len(set(sealed)) == 100
    assert not any(b"secret" in ciphertext or NEW in ciphertext for ciphertext in sealed)


@pytest.mark.parametrize("part", range(4), ids=["table", "column", "workspace", "row"])
def test_secret_does_not_open_in_another_place(part: int) -> None:
    ring = KeyRing(NEW)
    sealed = ring.seal("whsec_secret", *PLACE)
    place = [*PLACE[:part], PLACE[part] + "2", *PLACE[part + 1 :]]

    with pytest.raises(Unreadable):
        ring.open(sealed, *place)


def test_no_altered_bit_and_no_cut_opens() -> None:
    ring = KeyRing(NEW)
    sealed = ring.seal("whsec_secret", *PLACE)
    altered = [
        sealed[:at] + bytes([sealed[at] ^ 1 << bit]) + sealed[at + 1 :]
        for at in range(len(sealed))
        for bit in range(8)
    ]

    for candidate in (*altered, *(sealed[:length] for length in range(len(sealed))), sealed + b"\0"):
        with pytest.raises(Unreadable):
            ring.open(candidate, *PLACE)


def test_the_newest_key_seals_and_older_ones_still_open() -> None:
    before = KeyRing(OLD).seal("whsec_secret", *PLACE)
    ring = KeyRing(NEW, OLD)
    after = ring.seal("whsec_secret", *PLACE)

    assert ring.open(before, *PLACE) == ring.open(after, *PLACE) == "whsec_secret"
    assert KeyRing(NEW).open(after, *PLACE) == "whsec_secret"
    for other, sealed in ((KeyRing(OLD), after), (KeyRing(NEW), before)):
        with pytest.raises(Unreadable):
            other.open(sealed, *PLACE)
