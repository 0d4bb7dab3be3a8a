"""A page's components, expressions and modules become plain Markdown."""

from textwrap import dedent

import pytest

from instep.transfer.imports.javascript.modules import Configuration
from instep.transfer.imports.mdx.included_files import IncludedFiles
from instep.transfer.imports.mdx.pages import PageReader
from instep.transfer.imports.tree.schemas import ImportedPage, Loss, Losses
from tests.support.import_sources import dedented
from tests.support.wording import like


def read(
    text: str, *, path: str = "page.mdx", has_bare_titles: bool = False, **snippets: str
) -> tuple[ImportedPage, list[Loss]]:
    files = dedented({path: text, **{f"snippets/{name}.mdx": body for name, body in snippets.items()}})
    losses = Losses()
    reader = PageReader(
        IncludedFiles(files, Configuration(files, {"/": ""}), {"mdx": "mdx", "vue": "vue", "md": "html"}),
        losses,
        has_bare_titles=has_bare_titles,
    )
    return reader.read(path).imported, losses.rows


def markdown_of(text: str, path: str = "page.mdx") -> str:
    page, losses = read(text, path=path)
    assert losses == []
    return page.markdown


COMPONENTS = {
    "callout": (
        """
        <Warning>
          Careful, **really**.
        </Warning>
        """,
        """
        > [!WARNING]
        > Careful, **really**.
        """,
    ),
    "callout with a title": (
        '<Callout type="error" title="Stop">Here.</Callout>',
        """
        > [!CAUTION] Stop
        > Here.
        """,
    ),
    "a title with a number": (
        "<details><summary>1. Sign in</summary>Here.</details>",
        """
        <details>
        <summary>1. Sign in</summary>

        Here.

        </details>
        """,
    ),
    "a paragraph next to a list": (
        """
        <Warning>
            - One

              more of it.

            After the list.
        </Warning>
        """,
        """
        > [!WARNING]
        > - One
        >
        >   more of it.
        >
        > After the list.
        """,
    ),
    "steps": (
        """
        <Steps>
          <Step title="Install">
            Run:
            ```bash
            npm install
            ```
          </Step>
          <Step title="Start">Go.</Step>
        </Steps>
        """,
        """
        :::steps
        1. **Install**

           Run:
           ```bash
           npm install
           ```

        2. **Start**

           Go.
        :::
        """,
    ),
    "tabs": (
        """
        <Tabs items={['npm', 'pnpm']}>
          <Tab>
            First.
          </Tab>
          <Tab>Second.</Tab>
        </Tabs>
        """,
        """
        ::::tabs
        :::tab[npm]
        First.
        :::

        :::tab[pnpm]
        Second.
        :::
        ::::
        """,
    ),
    "tabs with values": (
        """
        <Tabs values={[{label: 'Mac OS', value: 'mac'}]}>
        <TabItem value="mac">

        One.

        </TabItem>
        </Tabs>
        """,
        """
        ::::tabs
        :::tab[Mac OS]
        One.
        :::
        ::::
        """,
    ),
    "tabs in a list": (
        """
        1. Choose:

                <Tabs>
           <Tab title="A">

           ```sh
           a
           ```

                </Tab>
           </Tabs>
        2. Next.
        """,
        """
        1. Choose:

           ::::tabs
           :::tab[A]
           ```sh
           a
           ```
           :::
           ::::

        2. Next.
        """,
    ),
    "code group": (
        """
        <CodeGroup>
        ```js title="a.js" {1,3}
        let a
        ```
        ```py [b.py]
        b = 1
        ```
        </CodeGroup>
        """,
        """
        :::code-group
        ```js [a.js]
        let a
        ```

        ```py [b.py]
        b = 1
        ```
        :::
        """,
    ),
    "accordion": (
        """
        <AccordionGroup>
          <Accordion title="Why &amp; how?">
            Because.
          </Accordion>
        </AccordionGroup>
        """,
        """
        <details>
        <summary>Why &amp; how?</summary>

        Because.

        </details>
        """,
    ),
    "cards": (
        """
        <CardGroup cols={2}>
          <Card title="Start" icon="play" href="/start">
            How to
            begin.
          </Card>
          <Card title="Go on" href="/on" />
        </CardGroup>
        After.
        """,
        """
        ::::cards
        :::card
        [Start](/start)

        How to
        begin.
        :::

        :::card
        [Go on](/on)
        :::
        ::::

        After.
        """,
    ),
    "frame": (
        """
        <Frame caption="The page">
          <img src="/img/a.png" alt="A page" />
        </Frame>
        """,
        """
        ![A page](/img/a.png "The page")
        """,
    ),
    "pictures with a width": (
        """
        <img src="a.png" alt="A [page]" width={400} />
        Text.

        <Frame caption="It's **here**">
          <img src={"/b.png"} style={{ maxWidth: '50%', margin: 0 }} />
        </Frame>

        1. <img src="c.png" width="1200" />
        """,
        """
        <img src="a.png" alt="A [page]" width="400">

        Text.

        <figure>
        <img src="/b.png" alt="" width="336">
        <figcaption>It's here</figcaption>
        </figure>

        1. ![](c.png)
        """,
    ),
    "fields": (
        """
        <ParamField path="id" type="string" required>
          The id.
        </ParamField>
        <ResponseField name="user" type="object">
          The user.
          <Expandable title="properties">
            <ResponseField name="name" type="string" default="none" />
          </Expandable>
        </ResponseField>
        """,
        """
        - **id** (string, path, required): The id.
        - **user** (object)

          The user.

          <details>
          <summary>properties</summary>

          - **name** (string, default: none)

          </details>
        """,
    ),
    "file tree": (
        """
        <Files>
          <Folder name="app" defaultOpen>
            <File name="page.tsx" />
          </Folder>
          <File name="package.json" />
        </Files>
        """,
        """
        - app/
          - page.tsx
        - package.json
        """,
    ),
    "html": (
        """
        <div className="a">
          <p>Some <strong>bold</strong>, <em>slanted</em> <a href="/b c">words</a>.<br/>
          Press <kbd>K</kbd>.</p>
          <ul><li>One</li><li>Two</li></ul>
        </div>
        """,
        """
        Some **bold**, *slanted* [words](/b%20c).<br>
        Press <kbd>K</kbd>.

        - One
        - Two
        """,
    ),
    "heading in a link": (
        '<a href="/b"><h3>One</h3><p>two</p></a>\n\n<a id="c"><h3>Three</h3></a>',
        """
        [**One** two](/b)

        ### Three
        """,
    ),
    "table of html": (
        "<table><tr><th>A</th><th>B</th></tr><tr><td>1 | 2</td><td>**3**</td></tr></table>",
        """
        | A | B |
        | --- | --- |
        | 1 \\| 2 | **3** |
        """,
    ),
    "components in a table": (
        """
        | Name | Since |
        | --- | --- |
        | a | <Badge text="2.0" /> |
        | b | <Note>First.

        """,
        """
        | Name | Since |
        | --- | --- |
        | a | (2.0) |
        | b | First.
        """,
    ),
    "quote": (
        """
        > <Note>
        > In a quote.
        > </Note>
        """,
        """
        > > [!NOTE]
        > > In a quote.
        """,
    ),
    "module and comments": (
        """
        import { Tabs } from 'x'
        export const answer = {
          a: 42,

          b: 'two'
        }

        The answer is {answer.a}, {'literal'}{" "}and {`more`}.{/* hidden */}

        export your data as CSV, and import it again.
        """,
        """
        The answer is 42, literal and more.

        export your data as CSV, and import it again.
        """,
    ),
    "code is untouched": (
        """
        `<Note>` and `{x}`:

        ```mdx
        import A from 'a'

        <Note>{x}</Note>
        ```
        """,
        """
        `<Note>` and `{x}`:

        ```mdx
        import A from 'a'

        <Note>{x}</Note>
        ```
        """,
    ),
    "formulas": ("Area $x^{2}$ and\n\n$$\n\\frac{a}{b}\n$$\n", "Area $x^{2}$ and\n\n$$\n\\frac{a}{b}\n$$\n"),
    "containers": (
        """
        :::tip[Try it]{icon="heart"}
        <Card title="Docs" href="/docs" />
        :::
        """,
        """
        > [!TIP] Try it
        > :::card
        > [Docs](/docs)
        > :::
        """,
    ),
}


@pytest.mark.parametrize("name", COMPONENTS)
def test_components_become_plain_markdown(name: str) -> None:
    source, expected = (dedent(text).lstrip("\n") for text in COMPONENTS[name])

    assert markdown_of(source) == expected.strip("\n") + "\n"


def test_an_unknown_component_keeps_its_words_and_is_told() -> None:
    page, losses = read("Before.\n\n<Tweet id='1'>\n  Kept words.\n</Tweet>\n")

    assert page.markdown == "Before.\n\nKept words.\n"
    assert losses == [Loss("page.mdx", "component <Tweet>", 3)]


def test_a_word_in_angle_brackets_stays_a_word() -> None:
    assert markdown_of("Replace <YOUR-NAME> first.\n") == "Replace \\<YOUR-NAME> first.\n"


def test_expressions_without_a_value_are_told() -> None:
    page, losses = read("Open https://a.example/{room}.\n\n{rows.map(r => <li>{r}</li>)}\n")

    assert page.markdown == "Open https://a.example/{room}.\n"
    assert losses == [
        Loss("page.mdx", "expression {room}, kept as text", 1),
        Loss("page.mdx", "expression {rows.map(r => <li>{r}</li>)}", 3),
    ]


def test_videos_play_in_the_page_and_other_pages_become_links_and_are_told() -> None:
    page, losses = read(
        '<iframe src="https://www.youtube.com/embed/abc" title="Tour"></iframe>\n\n'
        '<iframe src="https://map.example/a" title="Map"></iframe>\n\n'
        '<iframe src="https://player.vimeo.com/video/123456789"></iframe>\n'
    )

    assert page.markdown == (
        ":::video\n[Tour](https://www.youtube.com/watch?v=abc)\n:::\n\n[Map](https://map.example/a)\n\n"
        ":::video\n[Video](https://vimeo.com/123456789)\n:::\n"
    )
    assert losses == [Loss("page.mdx", like("embedded…: <iframe>"), 3)]


def test_a_video_in_a_table_is_a_link_and_told() -> None:
    page, losses = read('| A |\n|---|\n| <YouTube id="abc" title="Tour" /> |\n')

    assert page.markdown == "| A |\n|---|\n| [Tour](https://www.youtube.com/watch?v=abc) |\n"
    assert losses == [Loss("page.mdx", like("video…link: <YouTube>"), 3)]


def test_snippets_are_put_in_with_their_attributes() -> None:
    page, losses = read(
        "import Hint from '/snippets/hint.mdx'\n\n<Note>\n  <Hint name=\"Ada\" />\n</Note>\n",
        hint="Hello {name}.\n\n```bash\necho\n```\n",
    )

    assert losses == []
    assert page.markdown == "> [!NOTE]\n> Hello Ada.\n>\n> ```bash\n> echo\n> ```\n"


def test_snippets_that_include_each_other_end() -> None:
    page, losses = read(
        "import A from '/snippets/a.mdx'\n\n<A />\n", a="import A from '/snippets/a.mdx'\n\nWord.\n\n<A />\n"
    )

    assert page.markdown.count("Word.") == 8
    assert [loss.what for loss in losses] == [like("file snippets/a.mdx…")]


def test_the_title_and_ids_of_headings_are_taken_out() -> None:
    page, losses = read(
        '# The title\n\n<a id="old"></a>\n\n## First <Badge text="new" />\n\n## Second {#two}\n'
    )

    assert losses == []
    assert page.title == "The title"
    assert page.markdown == "## First (new)\n\n## Second\n"
    assert dict(page.heading_ids) == {"old": 0, "first": 0, "two": 1}


def test_bare_titles_of_code_are_labels() -> None:
    page, _ = read("```bash .env\nA=1\n```\n", has_bare_titles=True)

    assert page.markdown == "**.env**\n\n```bash\nA=1\n```\n"


@pytest.mark.parametrize("info", ["wrap", "{1,3}", "[1, 2]", "highlight={6}", "-"])
def test_options_of_code_are_no_bare_titles(info: str) -> None:
    page, _ = read(f"```js {info}\na\n```\n", has_bare_titles=True)

    assert page.markdown == "```js\na\n```\n"


def test_blocks_of_code_in_a_group_keep_numbers_as_titles() -> None:
    blocks = "```json 200\n{}\n```\n```json 404\n{}\n```"
    page, _ = read(f"<ResponseExample>\n{blocks}\n</ResponseExample>\n", has_bare_titles=True)

    assert page.markdown == ":::code-group\n```json [200]\n{}\n```\n\n```json [404]\n{}\n```\n:::\n"


@pytest.mark.parametrize(
    ("info", "title"),
    [
        ("JavaScript & TypeScript", "JavaScript & TypeScript"),
        ("JavaScript & TypeScript highlight={6,11}", "JavaScript & TypeScript"),
        ('C# wrap icon="code" {2}', "C#"),
        ("TypeScript (SDK <=v0.10.6)", "TypeScript (SDK <=v0.10.6)"),
        ("Two *stars* expandable", "Two \\*stars\\*"),
        ("404 {1,3}", "404"),
        ("3.11 lines", "3.11"),
    ],
)
def test_a_bare_title_may_have_signs_and_options_behind_it(info: str, title: str) -> None:
    page, _ = read(f"```ts {info}\na\n```\n", has_bare_titles=True)

    assert page.markdown == f"**{title}**\n\n```ts\na\n```\n"


def test_a_component_is_told_with_its_file() -> None:
    _, losses = read(
        "import Intro from './a.mdx';\nimport { Plan } from '/b.jsx';\n\n<Intro />\n\n<Plan />\n"
    )

    assert [loss.what for loss in losses] == [
        like("component <Intro> of ./a.mdx…"),
        "component <Plan> of /b.jsx",
    ]


def test_text_below_a_break_is_markdown() -> None:
    page, _ = read("A\n\n<br/>\n[B](b.md)\n\nC\n<br/>\nD\n")

    assert page.markdown == "A\n\n<br>\n\n[B](b.md)\n\nC\n<br>\nD\n"


def test_angle_brackets_in_attributes_are_no_tags() -> None:
    text = markdown_of(
        '<ParamField name="" type="<id>">Which one.</ParamField>\n\n'
        '<Card title="List<T>" href="/list" />\n\n'
        '<Accordion title="A <b> tag">Yes.</Accordion>\n\n<CodeBlock code="a <b> c" />\n'
    )

    assert text == (
        "- **\\<id>**: Which one.\n\n:::card\n[List\\<T>](/list)\n:::\n\n"
        "<details>\n<summary>A &lt;b&gt; tag</summary>\n\nYes.\n\n</details>\n\n```\na <b> c\n```\n"
    )


def test_the_title_of_code_stands_below_a_paragraph_right_above_it() -> None:
    text = markdown_of('Edit it:\n```js title="app.js"\na\n```\n\n- Then\n  ```js title="b.js"\n  b\n  ```\n')

    assert text == (
        "Edit it:\n\n**app.js**\n\n```js\na\n```\n\n- Then\n\n  **b.js**\n\n  ```js\n  b\n  ```\n"
    )


def test_a_field_without_a_name_has_its_type_as_name() -> None:
    page, _ = read('<ParamField type="-y, --yes" required>Ask nothing.</ParamField>\n')

    assert page.markdown == "- **-y, --yes** (required): Ask nothing.\n"


@pytest.mark.parametrize(
    ("tag", "keys"),
    [
        ('<Key mod="cmd shift" k="z" />', "<kbd>Cmd+Shift+Z</kbd>"),
        ('<Kbd keys={["ctrl", "<"]} />', "<kbd>Ctrl+&lt;</kbd>"),
    ],
)
def test_keys_are_named_by_attributes_too(tag: str, keys: str) -> None:
    page, losses = read(f"Press {tag} now.\n")

    assert (page.markdown, losses) == (f"Press {keys} now.\n", [])


def test_only_a_style_is_read_as_declarations() -> None:
    page, _ = read("<Card title={{en: 'A'}}>Text.</Card>\n")

    assert page.markdown == ":::card\nText.\n:::\n"


def test_a_component_that_nothing_is_known_of_is_told() -> None:
    page, losses = read("Press <Key combination={keys.undo} /> now.\n")

    assert page.markdown == "Press  now.\n"
    assert [(loss.what, loss.line) for loss in losses] == [("component <Key>", 1)]


@pytest.mark.parametrize(
    ("source", "markdown"),
    [
        ("<code>a `b` c</code>", "a `b` c\n"),
        ("<code>a <b>`x`</b></code>", "a <strong>`x`</strong>\n"),
    ],
)
def test_code_in_a_code_tag_remains_as_it_is(source: str, markdown: str) -> None:
    assert markdown_of(source) == markdown


def test_vue_keeps_what_is_verbatim() -> None:
    page, losses = read(
        "<script setup>\nimport a from './a.vue'\n</script>\n\n<p v-pre>{{ raw }}</p>\n\n"
        "::: v-pre\n`x` {{ text }}\n:::\n\n<code v-pre>a/{{b}}</code> <code>`c`</code>\n\n"
        "{{ 'literal' }} {{ page.x }}\n",
        path="page.vue",
    )

    assert page.markdown == "{{ raw }}\n\n`x` {{ text }}\n\n`a/{{ b }}` `c`\n\nliteral \n"
    assert [loss.what for loss in losses] == [like("program…: <script>"), "expression {page.x}"]


def test_a_landing_page_keeps_its_words() -> None:
    page, _ = read(
        """
        ---
        hero:
          name: Acme
          text: Answers
          tagline: For all.
          actions:
            - text: Start
              link: /start
        features:
          - title: Fast
            details: Very.
        ---
        """
    )

    assert page.title == "Acme"
    assert page.markdown == "**Answers**\n\nFor all.\n\n- [Start](/start)\n\n- **Fast**: Very.\n"


HOSTILE = {
    "<": 20_000,
    "{": 20_000,
    "<a ": 20_000,
    "<Note>": 5_000,
    "</Note>": 5_000,
    "<!--": 20_000,
    "$$ ": 20_000,
    "import a\n\n": 3_000,
    "<A b={": 5_000,
    "> ": 3_000,
    "`": 20_000,
    "- <Card>\n": 3_000,
}


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_pages_take_no_longer_than_others(piece: str) -> None:
    text = piece * HOSTILE[piece]

    page, _ = read(text)

    assert len(page.markdown) < 10 * len(text) + 100
