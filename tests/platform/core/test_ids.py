"""The format of ids."""

import re
import time

import pytest

from instep.platform.core.ids import DRAFT_PREFIXES, PREFIXES, as_uuid, looks_like_id, new_id, new_uuid


@pytest.mark.parametrize("prefix", [*PREFIXES, *DRAFT_PREFIXES.values(), "ws"])
def test_an_id_says_what_it_is_of(prefix: str) -> None:
    new = new_id(prefix)

    assert re.fullmatch(prefix + r"_[0-9a-z]{26}", new)
    assert looks_like_id(new)


def test_ids_differ_and_sort_by_time() -> None:
    first = new_id("art")
    millisecond = time.time_ns() // 1_000_000
    while time.time_ns() // 1_000_000 == millisecond:
        pass

    later = [new_id("art") for _ in range(1_000)]

    assert len(set(later)) == 1_000
    assert all(first < identifier for identifier in later)


def test_no_article_id_reads_like_a_draft_id() -> None:
    assert not any(new_id("art").startswith(f"{prefix}_") for prefix in DRAFT_PREFIXES.values())


@pytest.mark.parametrize("text", ["", "art", "art_", "install", "art_install", "x_" + "0" * 26, "é" * 30])
def test_words_are_no_ids(text: str) -> None:
    assert not looks_like_id(text)
    assert as_uuid(text) is None


def test_a_uuid_is_an_id_however_it_is_written() -> None:
    identifier = new_uuid()

    for text in (str(identifier), identifier.hex, str(identifier).upper()):
        assert as_uuid(text) == identifier
        assert looks_like_id(text)
