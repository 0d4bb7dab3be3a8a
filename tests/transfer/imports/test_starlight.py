"""Starlight: its sidebar, generated parts of it, locales and redirects."""

from instep.transfer.imports.readers.starlight import READER
from tests.support.import_sources import dedented
from tests.support.import_trees import addresses, outline, redirects, told
from tests.support.wording import like

FILES = {
    "astro.config.mjs": """
        import { defineConfig } from 'astro/config';
        import starlight from '@astrojs/starlight';
        export default defineConfig({
          site: 'https://acme.example',
          base: '/docs',
          redirects: { '/old': '/start', '/older': { status: 302, destination: '/start' } },
          integrations: [starlight({
            title: 'Acme',
            locales: { root: { lang: 'en' }, 'pt-br': { lang: 'pt-BR' } },
            sidebar: [
              'start',
              { label: 'Guides', items: [{ autogenerate: { directory: 'guides' } }] },
              { label: 'Lost', slug: 'lost' },
            ],
          })],
        });
        """,
    "src/content/docs/start.mdx": '---\ntitle: Start\n---\n<Aside type="tip">Go.</Aside>\n',
    "src/content/docs/guides/b.md": "---\ntitle: B\nsidebar:\n  order: 1\n---\nA<Value> and {braces}.\n",
    "src/content/docs/guides/a.md": "---\ntitle: A\n---\n",
    "src/content/docs/guides/hidden.md": "---\ntitle: Hidden\nsidebar:\n  hidden: true\n---\n",
    "src/content/docs/guides/Deep Down/File.Name.md": "---\ntitle: Deep\n---\n",
    "src/content/docs/pt-BR/start.mdx": "---\ntitle: Começar\n---\n",
}


def test_sidebar_addresses_and_locales() -> None:
    tree = READER.read(dedented(FILES))

    assert outline(tree) == [
        "Start > Start",
        "Guides > B",
        "Guides > Deep Down > Deep",
        "Guides > A",
        "Guides > Hidden",
        "Start > Começar",
    ]
    assert addresses(tree)["src/content/docs/guides/Deep Down/File.Name.md"] == "/guides/deep-down/filename"
    assert (tree.pages[-1].locale, tree.pages[-1].address, tree.pages[-1].translation_of) == (
        "pt-BR",
        "/pt-br/start",
        "src/content/docs/start.mdx",
    )
    assert tree.sites == ("https://acme.example/docs", "/docs")
    assert redirects(tree) == [("/old", "/start"), ("/older", "/start")]


def test_folders_of_languages_are_no_groups_of_a_generated_sidebar() -> None:
    settings = "starlight({ locales: { root: { lang: 'en' }, 'pt-br': { lang: 'pt-BR' } } })"
    pages = {path: text for path, text in FILES.items() if path.endswith("start.mdx")}
    tree = READER.read(
        dedented({**pages, "astro.config.mjs": f"export default {{ integrations: [{settings}] }};"})
    )

    assert (outline(tree), told(tree)) == (["Start", "Começar"], [])


def test_components_of_mdx_and_text_of_markdown() -> None:
    pages = {page.title: page.markdown for page in READER.read(dedented(FILES)).pages}

    assert pages["Start"] == "> [!TIP]\n> Go.\n"
    assert pages["B"] == "A\\<Value> and {braces}.\n"


def test_pages_outside_the_sidebar_are_reported() -> None:
    assert told(READER.read(dedented(FILES))) == [
        like("astro.config.mjs:…sidebar…: Lost"),
        "Guides: pages after a group (1 in total): articles are listed apart from groups",
        like("src/content/docs/guides/hidden.md:…navigation:…others"),
    ]


RUN = """
---
import { Code, TabItem, Tabs } from '@astrojs/starlight/components';
interface Props { command: string; tool?: string }

const { command, tool = 'acme' } = Astro.props;
const runner = 'npx';
---
<Tabs>
  <TabItem label="npm"><Code code={`${runner} ${tool} ${command}`} lang="sh" /></TabItem>
</Tabs>
<style>
  p { color: red; }
</style>
"""


def test_components_of_astro_show_what_their_files_say() -> None:
    files = {
        "src/components/Run.astro": RUN,
        "src/components/Box.astro": '<div class="box">Please note: <slot /></div>\n',
        "src/components/Counted.astro": "---\nconst rows = await load();\n---\n<b>{rows.length}</b>\n",
        "src/content/docs/start.mdx": """
            ---
            title: Start
            ---
            import Run from '~/components/Run.astro';
            import Box from '../../components/Box.astro';
            import Counted from '@/components/Counted.astro';

            <Run command="init" />

            <Box>back *up*.</Box>

            There are <Counted /> rules.
            """,
    }
    tree = READER.read(dedented({**FILES, **files}))

    assert tree.pages[0].markdown == (
        "::::tabs\n:::tab[npm]\n```sh\nnpx acme init\n```\n:::\n::::\n\n"
        "Please note: back *up*.\n\nThere are  rules.\n"
    )
    assert [row.what for row in tree.losses if "component" in row.what] == ["component <Counted>"]


def test_the_light_one_of_two_pictures_for_light_and_dark_pages_is_kept() -> None:
    picture = '<img class="{}:sl-hidden" src="{}.png" alt="Logo" />'
    text = "\n".join(
        ["---", "title: Start", "---", picture.format("dark", "a"), picture.format("light", "b")]
    )

    tree = READER.read(dedented({**FILES, "src/content/docs/start.mdx": f"{text}\n"}))

    assert tree.pages[0].markdown == "![Logo](a.png)\n"


LINKS = """
---
const { current, languages } = Astro.props;
const only = languages.length === 1 ? languages[0] : undefined;
const commands = languages.reduce((text, { id }) => { return `${text}acme ${id}\\n`; }, "");
const names = languages.map((language) => language.label).join(", ");
---
{only ? (<b>{only.label}</b>) : (
  <ul>
    {languages.map(({ id, label }) => (
      <li>{id === current ? (<b>{label}</b>) : (<a href={`/${id}`}>{label}</a>)}</li>
    ))}
  </ul>
)}
{only && <i>alone</i>}
<Code code={commands.trim()} />
Named {names}.
"""


def test_conditions_and_lists_in_components_show_what_they_lead_to() -> None:
    html, css = "{ id: 'html', label: 'HTML' }", "{ id: 'css', label: 'CSS' }"
    text = (
        "---\ntitle: Start\n---\nimport Links from '~/components/Links.astro';\n\n"
        f'<Links current="css" languages={{[{html}]}} />\n\n'
        f'<Links current="css" languages={{[{html}, {css}]}} />\n'
    )
    files = {"src/components/Links.astro": LINKS, "src/content/docs/start.mdx": text}

    tree = READER.read(dedented({**FILES, **files}))

    assert [row.what for row in tree.losses if "start" in row.path] == []
    assert tree.pages[0].markdown == (
        "**HTML**\n*alone*\n\n```\nacme html\n```\n\nNamed HTML.\n\n"
        "- [HTML](/html)\n- **CSS**\n\n```\nacme html\nacme css\n```\n\nNamed HTML, CSS.\n"
    )


def test_programs_in_attributes_are_read_with_their_quotes_and_blank_lines() -> None:
    text = r"""
        ---
        title: Start
        ---
        <Fragment set:html={"<pre class=\"language-sh\"><code>a { <b>&lt;x&gt;</b><br /> b</code></pre>"} />

        <div dangerouslySetInnerHTML={{ __html: "<p>See <a href='/b'>the other</a>.</p>" }} />

        <Fragment set:html={unknown} />

        <Tabs>
          <TabItem label="npm"><Code code={`
        # First
        npm i

        # Second
        npm run <name>
        `} lang="sh" /></TabItem>
          <TabItem label="yarn">yarn `add` it</TabItem>
        </Tabs>
        """

    tree = READER.read(dedented({**FILES, "src/content/docs/start.mdx": text}))

    assert tree.pages[0].markdown == (
        "```sh\na { <x>\n b\n```\n\nSee [the other](/b).\n\n::::tabs\n:::tab[npm]\n"
        "```sh\n# First\nnpm i\n\n# Second\nnpm run <name>\n```\n:::\n\n"
        ":::tab[yarn]\nyarn `add` it\n:::\n::::\n"
    )
    assert [row.what for row in tree.losses if "start" in row.path] == ["component <Fragment>"]


def test_an_icon_says_its_label() -> None:
    text = """
        ---
        title: Start
        ---
        Press <Icon name="bell" /> here.

        | Rule | State |
        | --- | --- |
        | a | <Icon name="moon" label="Not released" /><Icon name="pen" label="Has a fix" /> |
        """

    tree = READER.read(dedented({**FILES, "src/content/docs/start.mdx": text}))

    assert tree.pages[0].markdown.endswith("| a | (Not released)(Has a fix) |\n")
    assert [row for row in tree.losses if "start" in row.path] == []
