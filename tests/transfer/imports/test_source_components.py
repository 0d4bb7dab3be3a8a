"""Components that a source defines, in JSX files or on the page, rendered as far as their text allows."""

import time

import pytest

from instep.transfer.imports.javascript.modules import Configuration
from instep.transfer.imports.mdx.included_files import IncludedFiles
from instep.transfer.imports.mdx.pages import PageReader
from instep.transfer.imports.tree.schemas import Losses
from tests.support.import_sources import dedented
from tests.support.wording import like

CARDS = """
    export const Guides = ({ heading = "All guides" }) => {
      const guides = [
        { href: "/start", title: "Start", text: "Begin here." },
        // { href: "/hidden", title: "Hidden" },
        { href: "/next", title: "Next", text: `Go on.` },
      ];
      return (
        <Columns cols={2}>
          <h2>{heading}</h2>
          {guides.map((guide) => (
            <Card title={guide.title} href={guide.href}>
              {guide.text}
            </Card>
          ))}
        </Columns>
      );
    };
    export default function Warned({ children }) {
      return (
        <div className="sticky">
          <Danger>
            {children}
          </Danger>
        </div>
      );
    }
    function Rows({ children }) { return <table><tbody>{children}</tbody></table> }
    export function Fields({ fields, more }) {
      return (
        <Rows>
          {fields.map(({ name, type }, at) => <tr><td>{at}</td><td>{name}</td><td>{type}</td></tr>)}
        </Rows>
      );
    }
    export const Loaded = () => {
      const [rows, setRows] = useState([]);
      useEffect(() => { load().then(setRows) }, []);
      return <ul>{rows.map((row) => <li>{row.name}</li>)}</ul>;
    };
    export const Signature = ({ name, args }) => <p>{name}({args.map(show).join(", ")})</p>;
    export const Linked = ({ name }) => <a href={"#" + slug(name)}>{name}</a>;
    export const Clicked = ({ name }) => <button onClick={() => copy(name)}>Copy</button>;
    export const Again = () => <Again />;
    """


def read(body: str, path: str = "docs/page.mdx", **files: str) -> tuple[str, list[tuple[str, int | None]]]:
    head = (
        "import Warned, { Guides, Fields, Loaded, Signature, Linked, Clicked, Again } from '/parts/cards'\n\n"
    )
    source = dedented({path: f"---\ntitle: T\n---\n{head}{body}", "parts/cards.jsx": CARDS, **files})
    losses = Losses()
    page = PageReader(IncludedFiles(source, Configuration(source, {"/": ""})), losses).read(path).imported
    return page.markdown, [(loss.what, loss.line) for loss in losses.rows]


def test_lists_that_a_component_makes_are_written() -> None:
    for path in ("docs/page.mdx", "docs/page.md"):
        text, losses = read("## First\n\n<Guides />\n\n## Then\n\n<Guides heading='Few'/>", path)

        cards = ":::card\n[Start](/start)\n\nBegin here.\n:::\n\n:::card\n[Next](/next)\n\nGo on.\n:::\n"
        assert text == f"## First\n\n## All guides\n\n{cards}\n## Then\n\n## Few\n\n{cards}"
        assert losses == []


def test_children_of_a_component_are_shown_in_their_place() -> None:
    text, losses = read("<Warned>\nOld, use **new**.\n\nSoon gone.\n</Warned>")

    assert text == "> [!CAUTION]\n> Old, use **new**.\n>\n> Soon gone.\n"
    assert losses == []


def test_components_use_others_of_their_file_and_take_values_apart() -> None:
    text, losses = read('<Fields fields={[{name: "id", type: "text"}, {name: "at"}]} />')

    assert text == "| 0 | id | text |\n| --- | --- | --- |\n| 1 | at |  |\n"
    assert losses == []


def test_a_page_repeats_its_own_values() -> None:
    statements = "export const names = ['One', 'Two']\nexport const Name = ({ name }) => <b>{name}</b>\n\n"
    text, losses = read(f"{statements}<ol>\n  {{names.map(name => <li><Name name={{name}} /></li>)}}\n</ol>")

    assert text == "1. **One**\n2. **Two**\n"
    assert losses == []


def test_a_component_whose_text_does_not_say_all_of_it_is_named_and_shows_nothing() -> None:
    names = ("Loaded", "Signature", "Linked", "Clicked", "Again")
    text, losses = read("\n\n".join(f'<{name} name="run" args={{[1]}} />' for name in names))

    assert text == ""
    assert losses == [(f"component <{name}> of /parts/cards", 6 + 2 * at) for at, name in enumerate(names)]


def test_a_target_that_only_a_program_knows_is_named() -> None:
    text, losses = read("Ask <a href={site.url}>them</a>.")

    assert text == "Ask them.\n"
    assert losses == [(like("URL of <a>…program…: {site.url}"), 6)]


def test_a_file_of_text_that_is_missing_is_named_though_its_component_is_known() -> None:
    statements = "import Steps from './steps.mdx'\nimport { Card } from './Card'\n\n"
    text, losses = read(f"{statements}<Steps />\n\n<Card title='A' />")

    assert text == ":::card[A]\n:::\n"
    assert losses == [(like("component <Steps> of ./steps.mdx,…source"), 9)]


def test_repetitions_in_repetitions_have_an_end() -> None:
    inner = "<p>{all.map(one => <b>x</b>)}</p>"
    text, losses = read(
        f"export const all = [{'1, ' * 3_000}]\n\n{{all.map(one => <p>{{all.map(one => {inner})}}</p>)}}"
    )

    assert len(text) < 2_000_000
    assert losses[-1][0].startswith("expression {all.map(one")


@pytest.mark.parametrize(
    ("tag", "markdown", "losses"),
    [
        ('<script set:html={"x = 1"} />', "", ["program in the page: <script>"]),
        ("<style dangerouslySetInnerHTML={{ __html: `p { color: red }` }} />", "", []),
        ('Go <a href="/b" set:html={"<b>there</b>"} />.', "Go [**there**](/b).\n", []),
        ('<h2 set:html={"Install"} />', "## Install\n", []),
        ("<ul><li set:html={'one'} /><li set:html={'two'} /></ul>", "- one\n- two\n", []),
        ("<pre><code set:html={'a &lt;b> <i>c</i>'} /></pre>", "```\na <b> c\n```\n", []),
        ("Run <code set:html={'a*b'} /> now.", "Run `a*b` now.\n", []),
        ("<p set:html={t('key.name')} />", "", ["component <p>"]),
        ("<p dangerouslySetInnerHTML={{ __html: t('key.name') }} />", "", ["component <p>"]),
        ("<pre set:html={show()} />", "", ["component <pre>"]),
        ("<pre>{`a\n  b`}</pre>", "```\na\n  b\n```\n", []),
        ("<pre>{show()}</pre>", "", ["expression {show()}"]),
        ('<p class="light:sl-hidden">Words.</p>', "Words.\n", []),
        ('<img src="a.png" alt="Dark" class="light:sl-hidden" />', "", []),
        ("There are {12345678} rows.", "There are 12345678 rows.\n", []),
        (
            'Text\n\n{1 === 1 && <div onClick={f}><Code code="npm i" /><Card title="T" /></div>}',
            "Text\n\n```\nnpm i\n```\n\n:::card[T]\n:::\n",
            [],
        ),
    ],
)
def test_the_words_of_a_tag_keep_their_meaning_or_are_told(
    tag: str, markdown: str, losses: list[str]
) -> None:
    text, rows = read(tag)

    assert (text, [what for what, _ in rows]) == (markdown, losses)


def test_names_of_a_callback_do_not_change_the_constants_of_a_component() -> None:
    source = """
        ---
        const { title, items } = Astro.props;
        const heading = `About ${title}`;
        ---
        <ul>{items.map(({ title }) => <li>{title}: {heading}</li>)}</ul>
        """
    body = "import Foo from '/parts/Foo.astro'\n\n<Foo title='Real' items={[{ title: 'One' }]} />"

    assert read(body, **{"parts/Foo.astro": source}) == ("- One: About Real\n", [])


def test_the_words_in_a_component_see_the_props_of_the_component_that_writes_them() -> None:
    source = """
        ---
        const { title } = Astro.props;
        const heading = `About ${title}`;
        const Box = ({ title, children }) => <p>{title}: {children}</p>;
        ---
        <Box title="Inner">{heading}</Box>
        """
    body = "import Foo from '/parts/Foo.astro'\n\n<Foo title='Real' />"

    assert read(body, **{"parts/Foo.astro": source}) == ("Inner: About Real\n", [])


def test_a_constant_of_a_module_does_not_see_the_arguments_of_its_component() -> None:
    source = """
        const title = "Guide";
        export const line = `See ${title}`;
        export const Box = ({ title, children }) => <p>{title}: {children}</p>;
        """
    body = "import { Box, line } from '/parts/box.jsx'\n\n<Box title='Real'>{line}</Box>"

    assert read(body, **{"parts/box.jsx": source}) == ("Real: See Guide\n", [])


@pytest.mark.parametrize(
    "source",
    [
        "---\nconst " + "a" * 200_000 + "\n---\n<b/>",
        "<style " * 20_000,
        "<p>{'" + "\\'" * 40_000 + "}</p>",
    ],
)
def test_hostile_components_take_no_longer_than_others(source: str) -> None:
    began = time.process_time()

    read("import Foo from '/parts/Foo.astro'\n\n<Foo />\n\n" + source, **{"parts/Foo.astro": source})

    assert time.process_time() - began < 5
