"""API keys: their format, their checksum, and the part that is stored."""

import pytest

from instep.platform.core.database import Tx
from instep.platform.identity.keys import hash_key, is_well_formed, new_bot_key, new_key
from tests.support.cast import Cast


def test_a_new_key_is_well_formed_and_like_no_other() -> None:
    keys = {new_key() for _ in range(100)}

    assert len(keys) == 100
    assert all(is_well_formed(key) and key.startswith("isk_") for key in keys)


@pytest.mark.parametrize("place", [4, 20, -1])
def test_a_slip_of_the_pen_is_noticed(place: int) -> None:
    key = new_key()
    other = "a" if key[place] != "a" else "b"
    slipped = key[:place] + other + key[place:][1:]

    assert not is_well_formed(slipped)


@pytest.mark.parametrize("key", ["", "isk_", "isk_" + "a" * 36, "pk_" + "a" * 24, "isk_" + "é" * 36])
def test_malformed_keys_are_refused(key: str) -> None:
    assert not is_well_formed(key)
    assert not is_well_formed(new_key() + "\n")
    assert not is_well_formed(new_bot_key())


async def test_the_database_holds_a_hash_and_the_last_four(cast: Cast, owner: Tx) -> None:
    key = cast.acme.write_key
    row = await owner.value(
        "select to_jsonb(k)::text from api_keys k where id = %(id)s", id=cast.acme.write_key_id
    )

    assert hash_key(key).hex() in row
    assert key[-4:] in row
    assert key[4:-6] not in row
