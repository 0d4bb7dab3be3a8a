"""Sixteen people upload the same files and delete them while others refer to them, across four processes."""

from collections import Counter
from functools import partial

import pytest

from tests.races.conftest import Call
from tests.support.cast import Client, Json
from tests.support.file_samples import picture
from tests.support.http import Response, all_pages, at_once, body_of
from tests.support.uploads import FILES, send, upload

PEOPLE = 16


@pytest.mark.parametrize("rounds", [3, pytest.param(60, marks=pytest.mark.races)])
async def test_the_same_bytes_sent_by_all_at_once_are_one_file(caller: Call, rounds: int) -> None:
    people = [await caller(number) for number in range(PEOPLE)]
    for shade in range(rounds):
        sent = picture(shade=shade)

        answers = await at_once(PEOPLE, partial(send_by, people, sent))

        assert Counter(answer.status_code for answer in answers) == {201: 1, 200: PEOPLE - 1}
        assert len({body_of(answer)["id"] for answer in answers}) == 1
    assert len(await all_pages(people[0], FILES)) == rounds


@pytest.mark.parametrize("rounds", [3, pytest.param(60, marks=pytest.mark.races)])
async def test_a_file_that_a_text_has_just_begun_to_show_is_not_deleted(caller: Call, rounds: int) -> None:
    people = [await caller(number) for number in range(PEOPLE)]
    for shade in range(rounds):
        file = await upload(people[0], picture(shade=shade))
        path = f"{FILES}/{file['id']}"
        article = {"title": f"Step {shade}", "contentMarkdown": f"![]({file['url']})"}

        answers = await at_once(PEOPLE, partial(delete_or_refer, people, path, article))

        statuses = Counter(answer.status_code for answer in answers[::2])
        assert {answer.status_code for answer in answers[1::2]} == {201}
        assert statuses[200] <= 1
        assert set(statuses) <= {200, 400, 404}
        is_there = (await people[1].get(path)).status_code == 200
        assert is_there is (statuses[200] == 0)


async def send_by(people: list[Client], data: bytes, number: int) -> Response:
    return await send(people[number], data)


async def delete_or_refer(people: list[Client], path: str, article: Json, number: int) -> Response:
    """Odd numbers create an article that shows the file; even numbers delete the file."""
    if number % 2:
        return await people[number].post("/v1/articles", json=article)
    return await people[number].delete(path)
