"""Code that is slow to lex delays no other request: it is colored in a process that can be killed."""

import pytest

from instep.platform.core import code_colours
from tests.support.cast import Api, Cast, Client
from tests.support.event_loop import MAX_SECONDS, watched_loop
from tests.support.http import create_article, ok

BLANKS = "a" + " " * 19_000
# A case without runs of blanks that takes quadratic time too.
LINES = "a\n" * 9_500
LANGUAGES = ("c", "cpp", "csharp", "java", "tsx", "ini")


def blocks(code: str, count: int = 1) -> str:
    return "\n".join(f"```{language}\n{code}\n```\n" for language in LANGUAGES for _ in range(count))


@pytest.mark.parametrize("text", [blocks(BLANKS, 8), blocks(LINES, 1)], ids=["blanks", "lines"])
async def test_hostile_code_is_saved_and_shown_while_others_are_served(
    client: Client, visitor: Client, cast: Cast, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    with watched_loop(monkeypatch) as longest:
        article = await create_article(client, contentMarkdown=text)
        ok(await client.post(f"/v1/articles/{article['id']}/publish"))
        pages = [await visitor.get(f"/help/{cast.acme.slug}/articles/{article['slug']}?q={n}") for n in "123"]
        html = ok(await client.get(f"/v1/articles/{article['id']}", params={"format": "html"}))["contentHtml"]

    assert [page.status_code for page in pages] == [200] * 3
    assert html.count("<pre") == text.count("```") // 2
    assert longest.seconds < MAX_SECONDS


async def test_a_page_reads_no_code(
    client: Client, api: Api, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The second block has a language, but nothing in it gets a color.
    text = "```python\nreturn 1\n```\n\n```c\na b\n```\n\n```\nno language\n```\n"
    article = await create_article(client, contentMarkdown=text)
    ok(await client.post(f"/v1/articles/{article['id']}/publish"))
    monkeypatch.setattr(code_colours, "lexer_of", None)

    page = await api(None).get(f"/help/{cast.acme.slug}/articles/{article['slug']}")

    assert '<span class="code-word">return</span>' in page.text


async def test_much_code_is_colored_in_another_process(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_colours, "lexer_of", None)

    text = "```python\n" + "return 1\n" * 200 + "```\n"
    article = await create_article(client, contentMarkdown=text)
    html = ok(await client.get(f"/v1/articles/{article['id']}", params={"format": "html"}))["contentHtml"]

    assert html.count("code-word") == 200
