"""Pictures embedded in a text become files, in every source format."""

import base64

import pytest

from instep.transfer.imports.readers.confluence import READER as CONFLUENCE
from instep.transfer.imports.source.formats import tree_of_files
from instep.transfer.imports.tree.schemas import SourceFiles
from tests.support.bringing import Importer
from tests.support.cast import Client
from tests.support.file_samples import picture
from tests.support.http import ok
from tests.support.import_sources import Files, losses_of, page, planned, text_of, tree
from tests.support.wording import like
from tests.transfer.imports.test_zendesk import article, saved

PICTURE = f"data:image/png;base64,{base64.b64encode(picture(shade=3)).decode()}"
SOURCES: dict[str, SourceFiles] = {
    "Markdown": Files({"a.md": f"# A\n\n![chart]({PICTURE})\n".encode()}),
    "definition": Files({"a.md": f"# A\n\n![r][c]\n\n[c]: {PICTURE}\n".encode()}),
    "HTML in Markdown": Files({"a.md": f'# A\n\n<img src="{PICTURE}" alt="c">\n'.encode()}),
    "MDX": Files(
        {
            "docs.json": b'{"navigation": [{"group": "G", "pages": ["a"]}]}',
            "a.mdx": f'---\ntitle: A\n---\n<img src="{PICTURE}" />\n'.encode(),
        }
    ),
    "Notion": Files({f"A {'ab' * 16}.md": f"# A\n\n![p]({PICTURE})\n".encode()}),
    "HTML": Files(saved(article(1, "A", body=f'<p>x</p><img src="{PICTURE}">'))),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES.keys())
async def test_a_picture_in_a_text_is_stored(importer: Importer, client: Client, source: SourceFiles) -> None:
    report = await importer.bring(tree_of_files(source, None), source)

    assert (report.files.stored, report.files.listed) == (1, 0)
    [row] = ok(await client.get("/v1/articles"))["results"]
    text = ok(await client.get(f"/v1/articles/{row['slug']}"))["contentMarkdown"]
    assert "/files/acme-" in text
    assert "data:" not in text


def test_a_picture_that_can_not_be_stored_is_named_without_its_bytes() -> None:
    plan = planned(tree(page("a.md", "![chart](data:image/png;base64,AAAA)\n")))

    assert text_of(plan, "a.md") == "chart\n"
    assert losses_of(plan) == [like("image…type…")]


def test_a_link_to_a_download_that_shows_nothing_gets_the_name_of_the_file() -> None:
    html = '<p><a href="attachments/1/a%20b.pdf"></a> <a href="#top"></a></p>'
    files = Files(
        {
            "S/index.html": '<div class="pageSection"><ul><li><a href="One_1.html">One</a></li></ul></div>',
            "S/One_1.html": f'<h1 id="title-heading">S : One</h1><div id="main-content">{html}</div>',
        }
    )

    [one] = CONFLUENCE.read(files).pages

    assert one.markdown == "[a b.pdf](attachments/1/a%20b.pdf)\n"


def test_an_archive_in_the_source_that_no_page_links_to_is_named() -> None:
    files = Files({"in/use.zip": b"PK", "old.zip": b"PK"})

    plan = planned(tree(page("a.md", "[z](in/use.zip)\n")), files)

    assert [loss.path for loss in plan.report.losses if "unpack it" in loss.what] == ["old.zip"]
