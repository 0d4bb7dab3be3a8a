"""Every sentence of an answer is in the live article it cites: tested on Instep's own help articles."""

import re
from contextlib import AsyncExitStack
from itertools import count

from fastapi import FastAPI

from instep.demo.help import read_help
from instep.platform.core.markdown import render
from tests.support.cast import Api, Cast, Json
from tests.support.citations import numbers_are_those_of_sources, unsupported, words_of_page
from tests.support.http import ok, stranger
from tests.support.questions import ask
from tests.support.site_pages import publish

HEADING = re.compile(r"(?m)^#+ (.+)$")
# One in this many headings is asked about; `make test-corpora` has hundreds of other questions.
HEADINGS_PER_QUESTION = 6
# Questions from one visitor and address, fewer than the limit per minute.
IN_A_ROW = 25
ENOUGH = 75


async def test_each_citation_supports_its_sentence_and_points_to_a_live_article(
    app: FastAPI, api: Api, cast: Cast
) -> None:
    client = api(cast.acme.write_key)
    # Our own help center has more articles than one key may write in a minute.
    app.state.settings = app.state.settings.model_copy(update={"requests_per_minute": 1_000})
    articles, questions = {}, list[str]()
    for section in read_help():
        for page in section.pages:
            made = await publish(client, page.title, page.text, slug=page.slug)
            articles[made["id"]] = made
            questions += [page.title, *(f"{page.title}: {text}" for text in HEADING.findall(page.text))]
    answers = await ask_all(app, cast, questions[::HEADINGS_PER_QUESTION])

    answered = [answer for answer in answers if answer["answered"]]
    assert len(answered) >= ENOUGH
    pages = {ref: words_of_page(render(article["contentMarkdown"])) for ref, article in articles.items()}
    assert [lost for answer in answered if (lost := unsupported(answer, pages))] == []
    assert all(numbers_are_those_of_sources(answer) for answer in answered)
    assert not any(re.search("<a |<img", render(answer["answer"])) for answer in answers)
    for url in {source["url"] for answer in answered for source in answer["sources"]}:
        path, _, anchor = url.removeprefix("http://help.test").partition("#")
        shown = await api(None).get(path)
        assert shown.status_code == 200, url
        assert not anchor or f'id="{anchor}"' in shown.text, url
    article_id = answered[0]["sources"][0]["articleId"]
    assert ok(await client.get(f"/v1/articles/{article_id}"))["status"] == "published"


async def ask_all(app: FastAPI, cast: Cast, questions: list[str]) -> list[Json]:
    """Ask all questions, as visitors with different addresses."""
    answers: list[Json] = []
    number = count()
    async with AsyncExitStack() as stack:
        for start in range(0, len(questions), IN_A_ROW):
            client = await stack.enter_async_context(stranger(app))
            visitor = f"visitor-{next(number)}"
            answers += [
                await ask(client, cast.acme, question[:2_000], visitor=visitor)
                for question in questions[start : start + IN_A_ROW]
            ]
    return answers
