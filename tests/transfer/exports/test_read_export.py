"""The export reader: the tree of an export equals the exported help center."""

import pytest

from instep.platform.core.database import Database
from instep.transfer.imports.readers.instep_export import READER
from instep.transfer.imports.tree.schemas import UnreadableSource
from tests.support.cast import Cast, Client
from tests.support.exported_library import export_zip, fill, unpacked
from tests.support.import_sources import Files


async def test_the_tree_holds_what_was_exported(client: Client, database: Database, cast: Cast) -> None:
    await fill(client, database, cast.acme)
    files = Files(unpacked(await export_zip(database, cast.acme)))

    assert READER.recognises(files)
    tree = READER.read(files)

    assert [(row.key, row.title, row.parent, row.icon, row.visibility) for row in tree.collections] == [
        ("01-start/", "Start", None, "🧭", "public"),
        ("01-start/01-deeper/", "Deeper", "01-start/", None, "authenticated"),
    ]
    pages = {row.slug: row for row in tree.pages}
    assert list(pages) == ["new-name", "install-now", "installieren", "setup"]
    assert pages["installieren"].translation_of == pages["install-now"].key
    assert (pages["installieren"].locale, pages["install-now"].locale) == ("de", "en")
    assert pages["setup"].status == "draft"
    assert pages["setup"].markdown == "\n\nOne\n\n{{part.about-limits}}\n"
    assert (pages["install-now"].published_at is None, pages["setup"].published_at) == (False, None)
    assert pages["new-name"].visibility == "authenticated"
    assert [(row.slug, row.source_url, row.status) for row in tree.entries] == [
        ("csv", "https://git.example.com/1", "published")
    ]
    assert ("/articles/old-name", "01-new-name.md") in [(row.source, row.target) for row in tree.redirects]
    assert [row.page for row in tree.questions] == ["01-start/01-install-now.md"]


GOOD = {
    "instep.json": b'{"format": "instep-export", "version": 1, "locale": "en"}',
    "redirects.json": b"[]",
    "golden-questions.json": b"[]",
}


@pytest.mark.parametrize(
    ("path", "data", "sentence"),
    [
        ("instep.json", b'{"format": "instep-export", "version": 9, "locale": "en"}', "update Instep"),
        ("redirects.json", b"[{}]", "redirects.json can't be read"),
        ("golden-questions.json", None, "golden-questions.json is missing"),
        ("a.md", b"---\ntitle: [\n---\n", "a.md"),
        ("a.md", b"No front matter", "title: Field required"),
        ("a.md", b"---\ntitle: A\nstatus: new\n---\n", "status: Input should be"),
        ("a.md", b"---\ntitle: A\ncollection: x\n---\n", "no collection"),
        ("a.md", b"\xff", "a.md is not UTF-8"),
    ],
)
def test_invalid_files_are_named(path: str, data: bytes | None, sentence: str) -> None:
    files = {**GOOD, path: data}
    source = Files({name: content for name, content in files.items() if content is not None})

    with pytest.raises(UnreadableSource, match=sentence):
        READER.read(source)


@pytest.mark.parametrize("data", [b"{}", b"[]", b"\xff", b'{"format": "other"}'])
def test_the_file_of_another_program_is_not_recognised(data: bytes) -> None:
    assert not READER.recognises(Files({"instep.json": data}))
    assert not READER.recognises(Files({}))


@pytest.mark.parametrize("original", ["en", "de"])
def test_an_original_in_another_language_keeps_its_translations(original: str) -> None:
    """The help center's own language is German."""
    matter = f"translates: {original}\n" if original != "de" else ""
    heads = {"01-a.md": "title: Eins\n", "01-a.en.md": "title: One\n", "01-a.fr.md": "title: Une\n"}
    heads = {path: head + ("" if locale_of(path) == original else matter) for path, head in heads.items()}
    files = {path: f"---\n{head}---\nText.\n".encode() for path, head in heads.items()}
    manifest = b'{"format": "instep-export", "version": 1, "locale": "de"}'

    tree = READER.read(Files({**GOOD, "instep.json": manifest, **files}))

    key = "01-a.en.md" if original == "en" else "01-a.md"
    originals = {page.key: page.translation_of for page in tree.pages}
    assert originals == {path: None if path == key else key for path in files}


def locale_of(path: str) -> str:
    return path.split(".")[1] if path.count(".") == 2 else "de"
