"""Two people edit one text at the same time: one save succeeds, and the other person learns who was first."""

import asyncio

import pytest

from instep.content.articles.editing import EditedMeanwhile, EditedText
from instep.platform.core.database import Database
from tests.support.articles import save_copy, type_text
from tests.support.cast import Api, Cast
from tests.support.http import create_article


@pytest.mark.parametrize("rounds", [10, pytest.param(200, marks=pytest.mark.races)])
async def test_one_of_two_editors_is_saved_and_the_other_gets_the_current_text(
    api: Api, cast: Cast, database: Database, rounds: int
) -> None:
    await create_article(api(cast.acme.write_key))
    version = (await save_copy(database, cast.acme, "install")).version

    for number in range(rounds):
        names = ("Ada", "Ben")
        outcomes = await asyncio.gather(
            *(
                type_text(database, cast.acme, "install", version, f"{name} {number}.", name)
                for name in names
            ),
            return_exceptions=True,
        )
        [saved] = [outcome for outcome in outcomes if isinstance(outcome, EditedText)]
        [refusal] = [outcome for outcome in outcomes if isinstance(outcome, EditedMeanwhile)]
        assert saved.content == f"{saved.author_name} {number}."
        assert (refusal.current.author_name, refusal.current.content) == (saved.author_name, saved.content)
        assert (await save_copy(database, cast.acme, "install")).content == saved.content
        version = (await save_copy(database, cast.acme, "install")).version
