"""Every kind of unified diff is read; a broken one is refused with its line."""

import re
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instep.drafting.writer import InvalidDiff, parse_diff
from instep.platform.text.patch import FilePatch
from tests.support.growth import grows_linearly

HUNK = "@@ -1,2 +1,2 @@\n one\n-two\n+2\n"


def test_a_git_diff_gives_paths_and_numbered_lines() -> None:
    (file,) = parse_diff(f"diff --git a/x.py b/x.py\nindex 1..2 100644\n--- a/x.py\n+++ b/x.py\n{HUNK}").files
    assert (file.path, file.status) == ("x.py", "modified")
    assert [(line.mark, line.text, line.old, line.new) for line in file.lines()] == [
        (" ", "one", 1, 1),
        ("-", "two", 2, 2),
        ("+", "2", 3, 2),
    ]


def test_a_plain_diff_with_dates_is_read() -> None:
    text = f"--- old/x.py\t2024-01-01 10:00:00 +0000\n+++ new/x.py\t2024-01-02 10:00:00 +0000\n{HUNK}"
    assert parse_diff(text).files[0].path == "new/x.py"


def test_windows_line_ends_are_no_part_of_a_line() -> None:
    (file,) = parse_diff(f"--- a/x.py\n+++ b/x.py\n{HUNK}".replace("\n", "\r\n")).files
    assert [line.text for line in file.lines()] == ["one", "two", "2"]


def test_added_and_deleted_files_are_told_apart() -> None:
    added = "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n"
    deleted = "diff --git a/o b/o\ndeleted file mode 100644\n--- a/o\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    assert [(file.status, file.path) for file in parse_diff(added + deleted).files] == [
        ("added", "n"),
        ("deleted", "o"),
    ]


def test_renames_copies_and_mode_changes_need_no_hunk() -> None:
    text = (
        "diff --git a/a.py b/b.py\nsimilarity index 100%\nrename from a.py\nrename to b.py\n"
        "diff --git a/c.py b/d.py\nsimilarity index 100%\ncopy from c.py\ncopy to d.py\n"
        "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"
    )
    assert [(file.status, file.old_path, file.path) for file in parse_diff(text).files] == [
        ("renamed", "a.py", "b.py"),
        ("copied", "c.py", "d.py"),
        ("modified", "run.sh", "run.sh"),
    ]


def test_quoted_names_are_unescaped() -> None:
    text = (
        'diff --git "a/Bug \\346\\216\\222.md" "b/Bug \\346\\216\\222.md"\n--- "a/Bug \\346\\216\\222.md"\n'
    )
    assert parse_diff(f'{text}+++ "b/Bug \\346\\216\\222.md"\n{HUNK}').files[0].path == "Bug 排.md"


def test_names_with_blanks_are_kept_whole() -> None:
    text = "diff --git a/my notes.txt b/my notes.txt\nold mode 100644\nnew mode 100755\n"
    assert parse_diff(text).files[0].path == "my notes.txt"


@pytest.mark.parametrize(
    "body", ["Binary files a/x.png and b/x.png differ\n", "GIT binary patch\nliteral 3\nKc${NE\n\n"]
)
def test_binary_files_have_no_lines(body: str) -> None:
    (file,) = parse_diff(f"diff --git a/x.png b/x.png\nindex 1..2 100644\n{body}").files
    assert file.is_binary
    assert not file.hunks


def test_a_missing_final_newline_is_no_line() -> None:
    missing = "\\ No newline at end of file"
    text = f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n{missing}\n+two\n{missing}\n"
    assert [line.text for line in parse_diff(text).files[0].lines()] == ["one", "two"]


def test_mail_and_commit_messages_around_the_diff_are_passed_over() -> None:
    diff = f"diff --git a/x b/x\n--- a/x\n+++ b/x\n{HUNK}"
    mail = f"From 123\nSubject: [PATCH] x\n\n- a list\n+ of things\n---\n x | 2 +-\n\n{diff}-- \n2.43.0\n"
    log = f"commit 1\nAuthor: A\n\n    text\n\n{diff}\ncommit 2\n\n    more\n"
    assert [len(parse_diff(text).files[0].hunks) for text in (mail, log)] == [1, 1]


def test_a_combined_diff_is_passed_over() -> None:
    merged = "diff --cc m.py\n--- a/m.py\n+++ b/m.py\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n"
    text = f"{merged}diff --git a/x b/x\n--- a/x\n+++ b/x\n{HUNK}"
    assert [(file.path, len(file.hunks)) for file in parse_diff(text).files] == [("m.py", 0), ("x", 1)]


def test_lines_that_look_like_headers_inside_a_hunk_are_content() -> None:
    text = "--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n--- a comment\n+++ b\n same\n"
    assert [line.text for line in parse_diff(text).files[0].lines()] == ["-- a comment", "++ b", "same"]


def test_an_empty_diff_has_no_files() -> None:
    assert parse_diff(" \n\n").files == ()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("just some words\n", 1),
        ("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\n-two\n", 6),
        ("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n+3\n", 7),
        ("--- a/x\n+++ b/x\n@@ -1,9 +1,2 @@\n one\n-two\n+2\n", 7),
        ("--- a/x\n+++ b/x\n@@ one two @@\n one\n", 3),
        ("@@ -1 +1 @@\n-a\n+b\n", 1),
        ("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\nrubbish\n", 5),
    ],
)
def test_a_broken_diff_names_its_line(text: str, line: int) -> None:
    with pytest.raises(InvalidDiff) as refused:
        parse_diff(text)
    assert refused.value.message.startswith(f"Line {line} of the diff: ")
    assert (refused.value.status, refused.value.code) == (400, "invalid_request")


def test_a_large_diff_keeps_every_file_and_line() -> None:
    one = "--- a/f{n}.py\n+++ b/f{n}.py\n@@ -1,2 +1,2 @@\n def f():\n-    return {n}\n+    return -{n}\n"
    files = parse_diff("".join(one.replace("{n}", str(n)) for n in range(5_000))).files
    assert [file.path for file in files[:2]] == ["f0.py", "f1.py"]
    assert sum(len(hunk.lines) for file in files for hunk in file.hunks) == 15_000


@given(st.text(alphabet="ab+-@ \n\\,1/dif", max_size=200) | st.text(max_size=100))
def test_any_text_is_read_as_it_stands_or_refused_with_the_line(text: str) -> None:
    assert_read_as_it_stands_or_refused(text)


@given(st.text(alphabet="+- a\n\\@", max_size=120))
def test_any_hunk_is_read_as_it_stands_or_refused_with_the_line(body: str) -> None:
    assert_read_as_it_stands_or_refused(f"--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n{body}")


def assert_read_as_it_stands_or_refused(text: str) -> None:
    refusal, files = "", tuple[FilePatch, ...]()
    try:
        files = parse_diff(text).files
    except InvalidDiff as error:
        refusal = error.message
    assert refusal == "" or re.match(r"Line \d+ of the diff: ", refusal)
    assert all(line.text in text for file in files for hunk in file.hunks for line in hunk.lines)


@pytest.mark.parametrize(
    "header",
    [
        lambda count: "--- a/x" + " " * 12 * count + "z\n+++ b/x",
        lambda count: "--- a/x" + " (revision 1" * count + "\n+++ b/x",
        lambda count: 'diff --git "a/' + '\\"' * 6 * count + "\n--- a/x\n+++ b/x",
    ],
    ids=["blanks", "revisions", "quotes"],
)
def test_a_long_name_is_read_in_linear_time(header: Callable[[int], str]) -> None:
    def read(text: str) -> None:
        with suppress(InvalidDiff):
            parse_diff(f"{text}\n@@ -1 +1 @@\n-a\n+b\n")

    assert grows_linearly(read, header, 5_000)


@pytest.mark.parametrize(
    ("header", "path"),
    [
        ("--- x.py  2026-01-02 03:04:05\n+++ x.py  2026-01-02 03:04:06", "x.py"),
        ("--- x.py  (revision 12)\n+++ x.py  (working copy)", "x.py"),
        ("--- my notes.txt\n+++ my notes.txt  ", "my notes.txt"),
        ('--- "a/a \\"b\\".txt"\n+++ "b/a \\"b\\".txt"', 'a "b".txt'),
    ],
)
def test_names_are_told_from_dates_and_quotes(header: str, path: str) -> None:
    [file] = parse_diff(f"{header}\n@@ -1 +1 @@\n-a\n+b\n").files

    assert file.path == path
