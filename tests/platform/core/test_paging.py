"""Cursors: encrypted, bound to their list, exact to the microsecond."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instep.platform.core.paging import InvalidCursor, Order, PageRequest, sign_cursor, verify_cursor

KEY = b"a key for the cursors of the tests"
ORDER = Order(("a.updated_at", "a.id"), descending=True)

values = st.lists(
    st.integers(-(2**31), 2**31)
    | st.text()
    | st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=2))]))
)


@given(values)
def test_a_cursor_gives_back_what_it_was_made_of(row: list[Any]) -> None:
    assert verify_cursor("list", sign_cursor("list", tuple(row), KEY), KEY) == tuple(row)


@given(st.data())
def test_no_cursor_survives_an_alteration(data: st.DataObject) -> None:
    cursor = sign_cursor("list", (datetime.now(UTC), "art_1"), KEY)
    place = data.draw(st.integers(0, len(cursor) - 1))
    sign = data.draw(st.characters(min_codepoint=1).filter(lambda other: other != cursor[place]))

    with pytest.raises(InvalidCursor):
        verify_cursor("list", cursor[:place] + sign + cursor[place + 1 :], KEY)


@given(st.text())
def test_forged_cursors_are_refused(cursor: str) -> None:
    with pytest.raises(InvalidCursor):
        verify_cursor("list", cursor, KEY)


def test_a_cursor_is_bound_to_list_filter_and_key() -> None:
    cursor = (
        PageRequest(KEY, 1).page(ORDER, "articles", "a", "b").page_of([1, 2], lambda row: (row,)).next_cursor
    )

    assert PageRequest(KEY, 1, cursor).page(ORDER, "articles", "a", "b").after == (1,)
    for scope in (("articles", "a"), ("articles", "ab", ""), ("drafts", "a", "b"), ("articles", "b", "a")):
        with pytest.raises(InvalidCursor):
            PageRequest(KEY, 1, cursor).page(ORDER, *scope)
    with pytest.raises(InvalidCursor):
        PageRequest(b"another key", 1, cursor).page(ORDER, "articles", "a", "b")


def test_the_last_page_has_no_cursor() -> None:
    page = PageRequest(KEY, 2).page(ORDER, "articles")

    for rows, page_rows, is_last in (([], [], True), ([1, 2], [1, 2], True), ([1, 2, 3], [1, 2], False)):
        listed = page.page_of(rows, lambda row: (row,))
        assert (listed.rows, listed.next_cursor is None) == (page_rows, is_last)
