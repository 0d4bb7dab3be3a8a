"""Formats that somebody chooses, whatever the source looks like."""

import re

import pytest

from instep.imports.formats import format_names, tree_of_files
from instep.imports.tree import UnreadableSource
from tests.files.samples import picture
from tests.imports.sources import MemoryFiles, losses_of, planned, text_of


@pytest.mark.parametrize("name", format_names())
def test_a_format_says_what_it_misses_in_a_source_of_another_kind(name: str) -> None:
    with pytest.raises(UnreadableSource):
        tree_of_files(MemoryFiles({"notes.txt": b"Text."}), name)


PAGES = {
    "a.md": "# A\n\n[1](<my page (1).md>) ![2](<my pic.png>) [3](<my page (1).md#two> 't') [4]\n\n"
    "[4]: <my page (1).md>\n",
    "my page (1).md": "# My page\n\n## Two\n\nText.\n",
}


@pytest.mark.parametrize(
    ("folder", "frame"),
    [
        ("docs", {"docusaurus.config.js": "module.exports = {presets: [['classic', {docs: {}}]]};"}),
        ("", {"docs.json": '{"navigation": {"pages": ["a"]}}'}),
        ("", {".vitepress/config.ts": "export default {}"}),
        ("docs", {"mkdocs.yml": "site_name: T\n"}),
        ("content", {"hugo.toml": "title = 'T'\n"}),
        ("", {"SUMMARY.md": "* [A](a.md)\n"}),
        ("", {"_Sidebar.md": "[[A]]\n", "Home.md": "# Home\n\nText.\n"}),
        ("", {}),
    ],
)
@pytest.mark.parametrize("extension", ["md", "mdx"])
def test_destinations_in_angle_brackets_are_links_in_every_format(
    folder: str, frame: dict[str, str], extension: str
) -> None:
    if extension == "mdx" and not frame.keys() & {"docusaurus.config.js", "docs.json"}:
        extension = "md"
    pages = {f"{folder}/{name}".lstrip("/"): text.encode() for name, text in PAGES.items()}
    path = f"{folder}/a.md".lstrip("/")
    pages[path.removesuffix("md") + extension] = pages.pop(path)
    files = MemoryFiles(
        {**pages, f"{folder}/my pic.png".lstrip("/"): picture()}
        | {name: text.encode() for name, text in frame.items()}
    )
    plan = planned(tree_of_files(files, None), files)

    [text] = [text_of(plan, row.page.key) for row in plan.pages if row.page.path.split(".")[0] == path[:-3]]

    assert re.findall(r"/articles/(\S+?)[ )\n]", text) == [*("my-page-1", "my-page-1#h-two", "my-page-1")]
    assert "my pic.png}" in text
    assert [what for what in losses_of(plan) if "link" in what or "picture" in what] == []
