"""What an archive may hold: a hostile one is refused as a whole, with one sentence, and writes nothing."""

import io
import stat
import zipfile
from pathlib import Path

import pytest

from instep.imports.source_files import open_archive, open_folder, root_name
from instep.imports.tree import UnreadableSource
from tests.imports.sources import archive
from tests.support.limits import SetLimit


def archive_with(name: str, mode: int = 0, content: bytes = b"x") -> bytes:
    """An archive with a good file, and one that Python's own writer would not make."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("good.md", "# Good\n")
        info = zipfile.ZipInfo("placeholder")
        info.filename = name
        info.external_attr = mode << 16
        file.writestr(info, content)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (archive_with("../evil.md"), "“../evil.md” in it leads out of it"),
        (archive_with("docs/../../evil.md"), "leads out of it"),
        (archive_with("..\\evil.md"), "leads out of it"),
        (archive_with("/etc/passwd"), "“/etc/passwd” in it is not inside of it"),
        (archive_with("\\\\host\\share"), "is not inside of it"),
        (archive_with("C:\\evil.md"), "is not inside of it"),
        (archive_with("c:evil.md"), "is not inside of it"),
        (archive_with("a\x1b[31m.md"), "not every system can store"),
        (archive_with("docs\\evil.md"), "not every system can store"),
        (archive_with("a/" * 600 + "a.md"), "a path of more than 1000 characters"),
        (archive_with("link.md", stat.S_IFLNK | 0o777, b"/etc/passwd"), "“link.md” in it is a link"),
        (archive_with("device", stat.S_IFCHR | 0o600), "“device” in it is no plain file"),
        (archive({"a.md": "1", "A.md": "2"}), "“a.md” and “A.md”, which are one file on some systems"),
        (archive({"bomb.md": b"\0" * 40_000_000}), "“bomb.md” in it is compressed as only a bomb is"),
        (archive({}), "it holds no file"),
    ],
    ids=lambda value: value if isinstance(value, str) else "archive",
)
def test_a_hostile_archive_is_refused_with_one_sentence(content: bytes, words: str) -> None:
    with pytest.raises(UnreadableSource) as refusal:
        open_archive(content, "export.zip")

    message = str(refusal.value)
    assert words in message
    assert "\n" not in message
    assert "\x1b" not in message


@pytest.mark.parametrize(
    "content",
    [b"", b"PK\x03\x04", b"no archive", archive({"a.md": "x" * 99})[:-30]],
    ids=["empty", "a beginning", "a text", "without its end"],
)
def test_what_is_no_whole_archive_is_refused(content: bytes) -> None:
    with pytest.raises(UnreadableSource, match="is no intact ZIP archive: make it again"):
        open_archive(content, "export.zip")


def test_a_damaged_file_in_an_archive_is_refused_when_it_is_read() -> None:
    content = bytearray(archive({"a.md": "the text of it"}, zipfile.ZIP_STORED))
    place = content.index(b"the text")
    content[place] ^= 1

    with pytest.raises(UnreadableSource, match="in the archive is damaged"):
        open_archive(bytes(content), "export.zip").read("a.md")


def test_an_archive_has_limits(set_limit: SetLimit) -> None:
    content = archive({f"{number}.md": "x" * 50 for number in range(5)})

    set_limit("MAX_IMPORT_UNPACKED_BYTES", 200)
    with pytest.raises(UnreadableSource, match="it unpacks to more than"):
        open_archive(content, "export.zip")
    set_limit("MAX_IMPORT_UNPACKED_BYTES", 10_000)
    set_limit("MAX_IMPORT_ENTRIES", 4)
    with pytest.raises(UnreadableSource, match="it holds more than 4 files"):
        open_archive(content, "export.zip")


def test_archives_in_an_archive_count_as_one_source_and_their_sizes_count_together(
    set_limit: SetLimit,
) -> None:
    part_1, part_2 = archive({"Export/a.md": "# A\n"}), archive({"Export/b.md": "# B\n"})
    content = archive({"Export-1.zip": part_1, "Export-2.zip": part_2, "__MACOSX/._a": "x"})

    files = open_archive(content, "export.zip")

    assert {path: files.read(path) for path in files.paths()} == {"a.md": b"# A\n", "b.md": b"# B\n"}
    assert root_name(files) == "Export"
    set_limit("MAX_IMPORT_ENTRIES", 1)
    with pytest.raises(UnreadableSource, match="more than 1 files"):
        open_archive(content, "export.zip")


def test_an_archive_beside_articles_is_a_download() -> None:
    inner = archive({"x": "1"})

    files = open_archive(archive({"a.md": "[z](example.zip)", "example.zip": inner}), "export.zip")

    assert list(files.paths()) == ["a.md", "example.zip"]
    assert files.read("example.zip") == inner


def test_links_in_a_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "s.md").write_text("secret")
    docs = tmp_path / "docs"
    (docs / ".git").mkdir(parents=True)
    (docs / ".git" / "config").write_text("x")
    (docs / "a.md").write_text("# A\n")
    (docs / "link.md").symlink_to(tmp_path / "secret" / "s.md")
    (docs / "folder").symlink_to(tmp_path / "secret")

    assert list(open_folder(docs).paths()) == ["a.md"]
