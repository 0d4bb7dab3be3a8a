"""Diffs turn one text into the other, merges keep both sides, and both have a time limit."""

import random
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from instep.platform.core import limits
from instep.platform.text.diff import (
    ChangedLines,
    changed_lines,
    changed_lines_now,
    compare,
    compare_now,
    merge,
    merge_now,
    replace_all,
    split_lines,
)
from tests.support.drafts import patched

NAMES = ("live", "proposed")
words = st.sampled_from(
    ["a", "b", "c", "", " ", "-", "+", "-- a", "++ b", "@@ -1 +1 @@", "\\ No", "é", "a\r", "\u2028"]
)
texts = st.builds(
    lambda lines, is_ended: "\n".join(lines) + ("\n" if is_ended and lines else ""),
    st.lists(words, max_size=12),
    st.booleans(),
)


@given(texts, texts)
@settings(deadline=None)
def test_a_diff_leads_from_one_text_to_the_other(before: str, after: str) -> None:
    made = compare_now(before, after, NAMES)

    assert patched(before, made.diff) == after
    assert (made.diff == "") is (before == after)


@given(texts, texts)
@settings(deadline=None)
def test_a_diff_that_replaces_everything_leads_there_too(before: str, after: str) -> None:
    made = replace_all(before, after, NAMES)

    assert patched(before, made.diff) == after
    assert made == compare_now(before, after, NAMES) or (before and after)


@given(texts, texts)
@settings(deadline=None)
def test_counts_are_those_of_the_diff(before: str, after: str) -> None:
    made = compare_now(before, after, NAMES)

    assert made.additions - made.deletions == line_count(after) - line_count(before)
    assert min(made.additions, made.deletions) >= 0


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nb\nc\n", "a\nB\nc\n"),
        ("a", "a\n"),
        ("a\n", "a"),
        ("a", "b"),
        ("", "a\n"),
        ("a\nb", "b"),
        ("a\n", ""),
    ],
)
def test_the_program_patch_reads_our_diffs(tmp_path: Path, before: str, after: str) -> None:
    file, diff = tmp_path / "live", tmp_path / "diff"
    file.write_text(before)
    diff.write_text(compare_now(before, after, NAMES).diff)

    subprocess.run(["patch", "--silent", str(file), str(diff)], check=True)

    # `patch` deletes a file that becomes empty.
    assert (file.read_text() if file.exists() else "") == after


@given(texts, texts)
@settings(deadline=None)
def test_a_merge_of_changes_on_one_side_is_that_side(base: str, changed: str) -> None:
    assert merge_now(base, changed, base) == changed
    assert merge_now(base, base, changed) == changed
    assert merge_now(base, changed, changed) == changed


@given(texts, texts, texts)
@settings(deadline=None)
def test_a_merge_does_not_depend_on_which_side_is_whose(base: str, ours: str, theirs: str) -> None:
    assume(base not in (ours, theirs))

    merged, mirrored = merge_now(base, ours, theirs), merge_now(base, theirs, ours)

    assert (merged is None) is (mirrored is None)


# Mostly no insertions, so that two edits of one text do not conflict everywhere.
insertions: st.SearchStrategy[list[str]] = st.one_of(
    st.just([]), st.just([]), st.just([]), st.lists(words, max_size=1)
)


@st.composite
def edited(draw: st.DrawFn, base: list[str], whose: str) -> str:
    """The base with lines kept, removed, replaced, repeated or inserted."""
    lines: list[str] = []
    for number, line in enumerate(base):
        lines += draw(insertions) + [f"{whose} {number}"] * draw(st.integers(0, 1))
        results = {"keep": [line], "repeat": [line, line], "replace": [f"{whose} {number}'"], "remove": []}
        lines += results[draw(st.sampled_from(["keep"] * 5 + ["repeat", "replace", "remove"]))]
    lines += draw(insertions) + [f"{whose} at the end"] * draw(st.integers(0, 1))
    return "\n".join(lines) + draw(st.sampled_from(["\n", ""]))


@given(st.data(), st.lists(words, max_size=8))
@settings(deadline=None)
def test_a_merge_loses_no_line_that_either_side_has_added(data: st.DataObject, base: list[str]) -> None:
    sides = [data.draw(edited(base, whose)) for whose in ("mine", "theirs")]

    merged = merge_now("\n".join(base) + "\n", *sides)

    if merged is not None:
        for side, whose in zip(sides, ("mine", "theirs"), strict=True):
            assert own_lines(merged, whose) == own_lines(side, whose)


@given(st.data(), st.lists(words, max_size=8))
@settings(deadline=None)
def test_the_lines_that_changed_are_those_of_the_diff(data: st.DataObject, base: list[str]) -> None:
    before, after = "\n".join(base), data.draw(edited(base, "mine"))

    changed = changed_lines_now(before, after)

    common = [line for number, line in enumerate(split_lines(before)) if number not in changed.removed]
    assert common == [line for number, line in enumerate(split_lines(after)) if number not in changed.added]
    assert (changed == ChangedLines(frozenset(), frozenset())) is (before == after)


def own_lines(text: str, whose: str) -> list[str]:
    return [line for line in text.split("\n") if line.startswith(f"{whose} ")]


def test_changes_in_different_places_are_both_kept() -> None:
    base = "one\ntwo\nthree\nfour\nfive\n"

    assert merge_now(base, "ONE\ntwo\nthree\nfour\nfive\n", "one\ntwo\nthree\nfour\nFIVE") == (
        "ONE\ntwo\nthree\nfour\nFIVE"
    )


@pytest.mark.parametrize(("ours", "theirs"), [("A\n", "B\n"), ("A\n", ""), ("a", "B\n")])
def test_changes_of_the_same_line_do_not_merge(ours: str, theirs: str) -> None:
    assert merge_now("a\n", ours, theirs) is None


def two_letters() -> tuple[str, str]:
    chance = random.Random(1)
    before, after = ["".join(chance.choice("ab") + "\n" for _ in range(200_000)) for _ in range(2)]
    return before, after


def numbers() -> list[str]:
    return [f"{number}\n" for number in range(60_000)]


# Texts are built only when a test needs them: each process imports this module, and few run its tests.
LARGE_TEXTS: dict[str, Callable[[], tuple[str, str]]] = {
    "equal lines": lambda: ("\n" * 400_000, "\n" * 399_000),
    "two letters": two_letters,
    "turned around": lambda: ("".join(numbers()), "".join(reversed(numbers()))),
    "one long line": lambda: ("a" * 1_000_000, "a" * 999_999 + "b"),
    "unlike": lambda: ("a\n" * 100_000, "b\n" * 100_000),
}


@pytest.mark.parametrize("make_texts", LARGE_TEXTS.values(), ids=LARGE_TEXTS)
async def test_a_large_text_is_compared_and_merged_beside_other_work(
    make_texts: Callable[[], tuple[str, str]],
) -> None:
    before, after = make_texts()
    began = time.thread_time()

    made = await compare(before, after, NAMES)
    merged = await merge(before, after, before)

    assert time.thread_time() - began < 2
    assert made.additions - made.deletions == line_count(after) - line_count(before)
    assert merged in (after, None)


async def test_slow_comparison_shows_a_replacement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_DIFF_SECONDS", 0.01)
    before, after = two_letters()

    made = await compare(before, after, NAMES)

    assert (made.additions, made.deletions) == (line_count(after), line_count(before))
    assert patched(before, made.diff) == after
    assert await merge(before, after, "a\n" + before) is None
    changed = await changed_lines(before, after)
    assert (len(changed.removed), len(changed.added)) == (line_count(before), line_count(after))


def line_count(text: str) -> int:
    return text.count("\n") + (text != "" and not text.endswith("\n"))
