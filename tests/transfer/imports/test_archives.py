"""A hostile archive is rejected as a whole, with a one-sentence reason, and nothing is written."""

import io
import stat
import zipfile
from pathlib import Path

import pytest

from instep.transfer.imports.source.source_files import open_archive, open_folder
from instep.transfer.imports.tree.schemas import UnreadableSource
from tests.support.import_sources import archive
from tests.support.limits import SetLimit
from tests.support.wording import like


def archive_with(name: str, mode: int = 0, content: bytes = b"x") -> bytes:
    """An archive with a valid file and one that Python's own writer would not create."""
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
        (archive_with("../evil.md"), "“../evil.md”"),
        (archive_with("docs/../../evil.md"), "leads out of the archive"),
        (archive_with("..\\evil.md"), "leads out of the archive"),
        (archive_with("/etc/passwd"), "“/etc/passwd”"),
        (archive_with("\\\\host\\share"), "absolute path"),
        (archive_with("C:\\evil.md"), "absolute path"),
        (archive_with("c:evil.md"), "absolute path"),
        (archive_with("a/" * 600 + "a.md"), "1000 characters"),
        (archive({"bomb.md": b"\0" * 40_000_000}), "“bomb.md”"),
        (archive({}), "it contains no files"),
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
    ("entry", "path", "words"),
    [
        (archive_with("link.md", stat.S_IFLNK | 0o777, b"good.md"), "link.md", "link"),
        (archive_with("out.md", stat.S_IFLNK | 0o777, b"/etc/passwd"), "out.md", "link"),
        (archive_with("device", stat.S_IFCHR | 0o600), "device", "device"),
        (archive_with("a\x1b[31m.md"), "a�[31m.md", "every system"),
    ],
    ids=["link", "link that leads out", "device", "control character"],
)
def test_one_entry_that_cant_be_read_is_left_out_and_named(entry: bytes, path: str, words: str) -> None:
    files = open_archive(entry, "export.zip")

    assert list(files.paths()) == ["good.md"]
    assert files.read("good.md") == b"# Good\n"
    [loss] = files.all_losses()
    assert loss.path == path
    assert words in loss.what


def test_an_archive_of_nothing_but_links_is_refused_with_the_reason() -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        info = zipfile.ZipInfo("link.md")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        file.writestr(info, "a.md")

    with pytest.raises(UnreadableSource, match="link"):
        open_archive(content.getvalue(), "export.zip")


def test_names_that_differ_in_case_are_two_files_and_backslashes_part_folders() -> None:
    both = open_archive(archive({"a.md": "1", "A.md": "2"}), "export.zip")
    from_windows = open_archive(archive_with("docs\\guide.md"), "export.zip")

    assert list(both.paths()) == ["A.md", "a.md"]
    assert list(from_windows.paths()) == ["docs/guide.md", "good.md"]


def unflagged(names: list[bytes]) -> bytes:
    """An archive whose names have these bytes, without the UTF-8 flag."""
    placeholders = [chr(ord("A") + number) * len(name) for number, name in enumerate(names)]
    content = archive(dict.fromkeys(placeholders, "x"))
    for placeholder, name in zip(placeholders, names, strict=True):
        content = content.replace(placeholder.encode(), name)
    return content


@pytest.mark.parametrize(
    ("encoding", "names", "guess"),
    [
        ("utf-8", ["über.md", "bild-ä.png"], None),
        ("cp1252", ["über.md", "bild-ä.png"], "Windows-1252"),
        ("cp437", ["über.md", "bild-ä.png"], "code page 437"),
        ("cp866", ["Установка.md", "Начало работы.md"], "code page 866"),
        ("gbk", ["中文.md", "产品使用手册.md"], "GBK"),
        ("big5", ["使用說明書.md"], "Big5"),
        ("cp932", ["手順表.md", "マニュアル.md"], "Shift-JIS"),
        ("euc_kr", ["설명서.md"], "EUC-KR"),
    ],
)
def test_names_without_a_stated_encoding_are_read_as_what_fits_all_of_them(
    encoding: str, names: list[str], guess: str | None
) -> None:
    files = open_archive(unflagged([name.encode(encoding) for name in ["start.md", *names]]), "export.zip")

    assert list(files.paths()) == sorted(["start.md", *names])
    guesses = [loss.what for loss in files.all_losses()]
    assert len(guesses) == (guess is not None)
    assert all(f"read as {guess}" in what for what in guesses)


def test_one_name_in_another_encoding_does_not_change_the_others() -> None:
    names = ["über.md".encode(), "手順表.md".encode("cp932"), b"\xff\xfe\xfd\x80.md"]

    files = open_archive(unflagged(names), "export.zip")

    assert list(files.paths()) == ["über.md", "手順表.md"]
    whats = [loss.what for loss in files.all_losses()]
    assert any("unknown encoding" in what for what in whats)
    assert any("Shift-JIS" in what for what in whats)


def test_the_second_file_of_one_name_is_left_out_and_named() -> None:
    files = open_archive(archive({"\u00e4.md": "1", "a\u0308.md": "2"}), "export.zip")

    assert {path: files.read(path) for path in files.paths()} == {"\u00e4.md": b"1"}
    assert [loss.what for loss in files.all_losses()] == [like("second file…")]


def test_names_and_settings_are_compared_in_one_form_of_unicode() -> None:
    decomposed = {"Gro\u0308\u00dfe.md": "# x", "docs.json": '{"a": "Gro\u0308\u00dfe"}'}

    files = open_archive(archive(decomposed), "export.zip")

    assert list(files.paths()) == ["Größe.md", "docs.json"]
    assert files.read("Gro\u0308\u00dfe.md") == b"# x"
    assert files.read("docs.json") == '{"a": "Größe"}'.encode()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"])
def test_texts_in_any_encoding_of_unicode_are_read(encoding: str) -> None:
    text = "---\ntitle: Größe\n---\n\nText.\n"

    files = open_archive(archive({"a.md": text.encode(encoding)}), "export.zip")

    assert files.read("a.md").decode() == text
    assert files.all_losses() == ()


def test_a_text_in_an_older_encoding_is_read_and_named_and_a_download_stays_as_it_is() -> None:
    content = {"a.md": "Größe".encode("cp1252"), "b.md": b"\xff\x81\x00x", "c.csv": "ä".encode("utf-16")}

    files = open_archive(archive(content), "export.zip")

    assert files.read("a.md").decode() == "Größe"
    assert files.read("b.md").decode()
    assert files.read("c.csv") == content["c.csv"]
    assert [(loss.path, loss.what.rpartition(" ")[2]) for loss in files.all_losses()] == [
        ("a.md", "Windows-1252"),
        ("b.md", "UTF-8"),
    ]


def test_a_foreign_note_next_to_the_parts_of_an_export_is_left_out_and_named() -> None:
    content = archive({"Part-1.zip": archive({"Export/a.md": "# A\n"}), "readme.txt": "x"})

    files = open_archive(content, "export.zip")

    assert list(files.paths()) == ["a.md"]
    assert [loss.path for loss in files.all_losses()] == ["readme.txt"]


POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'ab' * 32}\nsize 12345\n"


def test_a_pointer_of_git_lfs_is_no_article() -> None:
    files = open_archive(archive({"a.md": "# A\n", "b.md": POINTER, "p.png": POINTER}), "export.zip")

    assert list(files.paths()) == ["a.md", "p.png"]
    [loss] = files.all_losses()
    assert loss.path == "b.md"
    assert "`git lfs pull`" in loss.what


@pytest.mark.parametrize(
    "content",
    [b"", b"PK\x03\x04", b"no archive", archive({"a.md": "x" * 99})[:-30]],
    ids=["empty", "a beginning", "a text", "without its end"],
)
def test_invalid_archives_are_refused(content: bytes) -> None:
    with pytest.raises(UnreadableSource, match="valid ZIP"):
        open_archive(content, "export.zip")


def test_a_damaged_file_in_an_archive_is_refused_when_it_is_read() -> None:
    content = bytearray(archive({"a.md": "the text of it"}, zipfile.ZIP_STORED))
    place = content.index(b"the text")
    content[place] ^= 1

    with pytest.raises(UnreadableSource, match="archive is damaged"):
        open_archive(bytes(content), "export.zip").read("a.md")


def test_an_archive_has_limits(set_limit: SetLimit) -> None:
    content = archive({f"{number}.md": "x" * 50 for number in range(5)})

    set_limit("MAX_IMPORT_UNPACKED_BYTES", 200)
    with pytest.raises(UnreadableSource, match="it unpacks"):
        open_archive(content, "export.zip")
    set_limit("MAX_IMPORT_UNPACKED_BYTES", 10_000)
    set_limit("MAX_IMPORT_ENTRIES", 4)
    with pytest.raises(UnreadableSource, match="4 files"):
        open_archive(content, "export.zip")


def test_archives_in_an_archive_count_as_one_source_and_their_sizes_count_together(
    set_limit: SetLimit,
) -> None:
    part_1, part_2 = archive({"Export/a.md": "# A\n"}), archive({"Export/b.md": "# B\n"})
    content = archive({"Export-1.zip": part_1, "Export-2.zip": part_2, "__MACOSX/._a": "x"})

    files = open_archive(content, "export.zip")

    assert {path: files.read(path) for path in files.paths()} == {"a.md": b"# A\n", "b.md": b"# B\n"}
    assert files.root == "Export"
    set_limit("MAX_IMPORT_ENTRIES", 1)
    with pytest.raises(UnreadableSource, match="more than 1 files"):
        open_archive(content, "export.zip")


def test_an_archive_beside_articles_is_a_download() -> None:
    inner = archive({"x": "1"})

    files = open_archive(archive({"a.md": "[z](example.zip)", "example.zip": inner}), "export.zip")

    assert list(files.paths()) == ["a.md", "example.zip"]
    assert files.read("example.zip") == inner


def test_links_in_a_folder_are_not_followed_but_named(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "s.md").write_text("secret")
    docs = tmp_path / "docs"
    (docs / ".git").mkdir(parents=True)
    (docs / ".git" / "config").write_text("x")
    (docs / "a.md").write_text("# A\n")
    (docs / "link.md").symlink_to(tmp_path / "secret" / "s.md")
    (docs / "folder").symlink_to(tmp_path / "secret")

    files = open_folder(docs)

    assert list(files.paths()) == ["a.md"]
    assert [loss.path for loss in files.all_losses()] == ["folder", "link.md"]
