"""Callers at four processes move collections into one another: no cycle and no fourth level ever appears."""

from random import Random

import pytest

from tests.races.conftest import Call
from tests.support.cast import Client
from tests.support.http import all_pages, at_once, create_collection

CALLERS = 8
LIST = "/v1/collections"


@pytest.mark.parametrize("rounds", [4, pytest.param(60, marks=pytest.mark.races)])
async def test_moves_at_once_leave_a_tree_of_three_levels(caller: Call, rounds: int) -> None:
    clients = [await caller(number) for number in range(CALLERS)]
    refs: list[str] = [(await create_collection(clients[0], f"No {n}"))["id"] for n in range(6)]

    async def shuffle(number: int) -> None:
        choice = Random(number)
        for _ in range(rounds):
            row, parent = choice.choice(refs), choice.choice([None, *refs])
            answer = await clients[number].patch(f"{LIST}/{row}", json={"parentId": parent})
            assert answer.status_code in (200, 400), answer.text
            assert await greatest_level(clients[number]) <= 3

    await at_once(CALLERS, shuffle)

    assert {row["id"] for row in await all_pages(clients[0], LIST)} == set(refs)


async def greatest_level(client: Client) -> int:
    parents = {row["id"]: row["parentId"] for row in await all_pages(client, LIST, page_size=100)}
    lineages = [[ref] for ref in parents]
    for lineage in lineages:
        while parent := parents[lineage[-1]]:
            assert parent not in lineage, "a collection stands in itself"
            lineage.append(parent)
    return max(len(lineage) for lineage in lineages)
