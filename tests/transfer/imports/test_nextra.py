"""Nextra: `_meta` files, separators and locales."""

from instep.transfer.imports.readers.nextra import READER
from tests.support.import_sources import dedented
from tests.support.import_trees import outline, told
from tests.support.wording import like

FILES = {
    "content/en/_meta.ts": "export default { index: '', docs: { type: 'page', title: 'Documentation' } }",
    "content/en/index.mdx": "# Acme\n",
    "content/en/docs/_meta.tsx": """
        import { Icon } from './icons'
        export default {
          _: { type: 'separator', title: <Icon>Basics</Icon> },
          two: 'The second',
          one: '',
          gone: 'Gone',
          forum: { title: 'Forum', href: 'https://forum.example' },
        }
        """,
    "content/en/docs/one.mdx": "# One\n\nSee [two](/docs/two) [#here].\n",
    "content/en/docs/two.mdx": """
        # Two

        ## Part [#part-two]

        <Tabs items={['A']}><Tabs.Tab>a</Tabs.Tab></Tabs>
        """,
    "content/en/docs/more/three.mdx": "# Three\n",
    "content/es/_meta.ts": "import meta from '../en/_meta'\nexport default { ...meta }",
    "content/es/docs/one.mdx": "# Uno\n",
}


def test_navigation_and_locales() -> None:
    tree = READER.read(dedented(FILES))

    assert outline(tree) == [
        "Acme",
        "Documentation > Basics > Two",
        "Documentation > Basics > One",
        "Documentation > Basics > More > Three",
        "Documentation > Basics > Uno",
    ]
    rows = {page.path: (page.locale, page.address, page.former_addresses) for page in tree.pages}
    assert rows["content/en/docs/one.mdx"] == ("en", "/en/docs/one", ("/docs/one",))
    assert rows["content/es/docs/one.mdx"] == ("es", "/es/docs/one", ())
    assert tree.pages[-1].translation_of == "content/en/docs/one.mdx"
    assert tree.pages[1].markdown == "## Part\n\n::::tabs\n:::tab[A]\na\n:::\n::::\n"
    assert tree.pages[1].heading_ids == (("part-two", 0),)
    assert told(tree) == [
        like("content/en/docs/_meta.tsx:…navigation…: gone"),
        like("content/en/docs/two.mdx: navigation label…"),
    ]


def test_a_site_without_locales() -> None:
    files = dedented(
        {"docs/pages/_meta.json": '{"b": "B", "a": "A"}', "docs/pages/a.mdx": "", "docs/pages/b.mdx": ""}
    )

    assert READER.recognises(files)
    tree = READER.read(files)
    assert outline(tree) == ["B", "A"]
    assert [page.address for page in tree.pages] == ["/b", "/a"]
