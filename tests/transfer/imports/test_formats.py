"""A format that someone chooses overrides what the source looks like."""

import re

import pytest

from instep.transfer.imports.source.formats import format_names, tree_of_files
from instep.transfer.imports.tree.schemas import UnreadableSource
from tests.support.file_samples import picture
from tests.support.import_sources import Files, losses_of, planned, text_of


@pytest.mark.parametrize("name", format_names())
def test_a_format_says_what_it_misses_in_a_source_of_another_kind(name: str) -> None:
    with pytest.raises(UnreadableSource):
        tree_of_files(Files({"notes.txt": b"Text."}), name)


def test_a_generator_of_sites_reads_its_site_even_if_a_part_has_a_table_of_contents() -> None:
    files = {f"content/{path}": f"# {path}\n\nText.\n" for path in ("a.md", "b/c.md", "b/SUMMARY.md")}

    assert tree_of_files(Files({"hugo.yaml": "title: T\n", **files}), None).format == "hugo"


@pytest.mark.parametrize("settings", ["config.toml", "mkdocs.yml"])
@pytest.mark.parametrize("files", [(".gitbook.yaml", "docs/SUMMARY.md"), ("SUMMARY.md",)])
def test_a_gitbook_is_read_as_such_even_if_it_has_settings_of_a_generator(
    files: tuple[str, ...], settings: str
) -> None:
    texts = {settings: "", "content/x.md": "# X\n\nText.\n", "docs/a.md": "# A\n\nText.\n"}

    assert tree_of_files(Files({**texts, **dict.fromkeys(files, "")}), None).format == "gitbook"


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
    files = Files(
        {**pages, f"{folder}/my pic.png".lstrip("/"): picture()}
        | {name: text.encode() for name, text in frame.items()}
    )
    plan = planned(tree_of_files(files, None), files)

    [text] = [text_of(plan, row.page.key) for row in plan.pages if row.page.path.split(".")[0] == path[:-3]]

    assert re.findall(r"/articles/(\S+?)[ )\n]", text) == [*("my-page-1", "my-page-1#h-two", "my-page-1")]
    assert "my pic.png}" in text
    assert [what for what in losses_of(plan) if "link" in what or "picture" in what] == []


@pytest.mark.parametrize(
    ("path", "frame"),
    [
        ("docs/guides/a.md", {"mkdocs.yml": "site_url: https://acme.example/product/\n"}),
        ("content/guides/a.md", {"hugo.toml": "baseURL = 'https://acme.example/product/'\n"}),
        ("guides/a.md", {".vitepress/config.ts": "export default { base: '/product/' }"}),
        (
            "docs/guides/a.md",
            {
                "docusaurus.config.js": "module.exports = {baseUrl: '/product/', "
                "presets: [['classic', {docs: {}}]]};"
            },
        ),
        (
            "src/content/docs/guides/a.md",
            {
                "astro.config.mjs": "import starlight from '@astrojs/starlight';\n"
                "export default defineConfig({base: '/product', integrations: [starlight({title: 'T'})]});"
            },
        ),
        (
            "content/guides/a.mdx",
            {
                "content/_meta.js": "export default {}",
                "next.config.mjs": "export default {basePath: '/product'}",
            },
        ),
        (
            "content/docs/guides/a.mdx",
            {
                "content/docs/meta.json": '{"pages": ["..."]}',
                "next.config.mjs": "export default {basePath: '/product'}",
            },
        ),
        (
            "guides/a.md",
            {
                "_config.yml": "baseurl: /product\n",
                "guides/a.md": "---\ntitle: A\n---\n# A\n\n[b](/product/guides/b)\n",
                "guides/b.md": "---\ntitle: B\n---\n# B\n\nText.\n",
            },
        ),
        (
            "guides/a.mdx",
            {
                "docs.json": '{"navigation": {"pages": ["guides/a"]},'
                '"redirects": [{"source": "/product/x", "destination": "/product/guides/b"}]}'
            },
        ),
    ],
)
def test_the_base_path_of_the_settings_is_known_in_every_format(path: str, frame: dict[str, str]) -> None:
    other = path.replace("/a.md", "/b.md")
    pages = {path: "# A\n\n[b](./b)\n", other: "# B\n\nText.\n", **frame}
    files = Files({name: text.encode() for name, text in pages.items()})
    tree = tree_of_files(files, None)

    plan = planned(tree, files)

    paths = {row.path: row.page_key for row in plan.redirects}
    [address] = [row.address for row in tree.pages if row.path == other]
    assert paths[f"/product{address}".rstrip("/")] == paths[str(address).rstrip("/")] == other
    assert "](/help/acme/articles/b)" in text_of(plan, path)
