"""VitePress: sidebars, rewrites, locales, and the content that pages include from other files."""

from instep.transfer.imports.readers.vitepress import READER
from tests.support.import_sources import dedented
from tests.support.import_trees import addresses, outline, told
from tests.support.wording import like

FILES = {
    "docs/.vitepress/config.mts": """
        import { defineConfig } from 'vitepress'
        export default defineConfig({
          cleanUrls: true,
          rewrites: { 'en/:rest*': ':rest*' },
          sitemap: { hostname: 'https://acme.example' },
          locales: { root: { lang: 'en-US' }, es: { lang: 'es' } },
          themeConfig: {
            sidebar: { '/guide/': { base: '/guide/', items: sidebar() }, '/es/guide/': [] }
          }
        })
        function sidebar() {
          return [
            { text: 'Start', items: [{ text: 'Two', link: 'two' }, { text: 'One', link: '/guide/one.md' }] },
            { text: 'Lost', link: 'lost' }
          ]
        }
        """,
    "docs/en/guide/one.md": """
        # One

        <!--@include: ./parts/part.md{2,3}-->

        <<< @/code/a.ts#main{1 ts}[a.ts]
        """,
    "docs/en/guide/parts/part.md": "First.\nSecond [link](../two.md).\nThird.\nFourth.\n",
    "docs/en/guide/two.md": """
        # Two

        ::: code-group
        ```sh [npm]
        npm i
        ```
        :::

        [[toc]]

        ::: details More
        Words.
        :::
        """,
    "docs/es/guide/one.md": "# Uno\n",
    "docs/code/a.ts": "let a\n// #region main\n  let b\n// #endregion main\n",
    "docs/public/_redirects": "# old\n/alt /guide/one 301\n/fr/* /fr/404 404\n",
}


def test_sidebars_addresses_and_locales() -> None:
    tree = READER.read(dedented(FILES))

    assert outline(tree) == ["Start > Two", "Start > One", "Start > Part", "Start > Uno"]
    assert addresses(tree)["docs/en/guide/one.md"] == "/guide/one"
    assert addresses(tree)["docs/es/guide/one.md"] == "/es/guide/one"
    translation = next(page for page in tree.pages if page.locale == "es")
    assert (translation.translation_of, translation.title) == ("docs/en/guide/one.md", "Uno")
    assert tree.locale == "en"
    assert tree.sites == ("https://acme.example",)
    assert [(row.source, row.target) for row in tree.redirects] == [("/alt", "/guide/one")]


def test_files_are_put_into_pages() -> None:
    pages = {page.title: page.markdown for page in READER.read(dedented(FILES)).pages}

    assert pages["One"] == "Second [link](two.md).\nThird.\n\n**a.ts**\n\n```ts\nlet b\n```\n"
    assert pages["Two"] == (
        ":::code-group\n```sh [npm]\nnpm i\n```\n:::\n\n"
        "<details>\n<summary>More</summary>\n\nWords.\n\n</details>\n"
    )


def test_losses_are_reported() -> None:
    files = FILES | {
        "docs/en/guide/two.md": "# Two\n\n<<< @/code/gone.ts\n\n<Unknown>{{ page.title }}</Unknown>\n"
    }

    assert told(READER.read(dedented(files)))[:4] == [
        like("docs/en/guide/two.md:3…source: @/code/gone.ts"),
        "docs/en/guide/two.md:5 component <Unknown>",
        "docs/en/guide/two.md:5 expression {page.title}",
        like("docs/.vitepress/config.mts:…sidebar…: Lost"),
    ]


def test_files_that_include_each_other_end_and_are_told() -> None:
    files = {
        "docs/.vitepress/config.mts": "export default {}",
        "docs/a.md": "# A\n\nWords of A.\n\n<!--@include: ./b.md-->\n",
        "docs/b.md": "Words of B.\n\n<!--@include: ./a.md-->\n",
    }

    tree = READER.read(dedented(files))

    assert "Words of B." in next(page for page in tree.pages if page.title == "A").markdown
    assert any("include" in line for line in told(tree))
