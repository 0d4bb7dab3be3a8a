"""An article's description helps to find an answer, and is quoted only if the text has no answer."""

import pytest

from tests.support.cast import Api, Cast, Json
from tests.support.questions import ask
from tests.support.site_pages import publish

POINTS = """\
You get a point for each euro.

## Redeem

Choose **Redeem** at the checkout.

## Expiry

Points expire after 24 months.
"""
RETURNS = """\
You can send articles back within 30 days.

## Exceptions

Underwear stays with you.
"""
ABSENCE = """\
## Illness

1. Choose **Report**.
2. Choose **Ill**.

## Leave

Ask for leave two weeks before.
"""


async def publish_shop(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    worth = "How many points there are, what they are worth and when they expire."
    await publish(client, "Collect points", POINTS, description=worth)
    await publish(client, "Send articles back", RETURNS, description="Return period, label and exceptions.")
    await publish(client, "Report an absence", ABSENCE, description="Tell the school of a sick child.")
    await publish(client, "Gift cards", "A gift card is a code.", description="Buy and use gift cards.")


def sections(answer: Json) -> list[tuple[str, str | None]]:
    return [(source["title"], source["heading"]) for source in answer["sources"]]


@pytest.mark.parametrize(
    ("question", "section", "quote"),
    [
        ("When do my points expire?", ("Collect points", "Expiry"), "Points expire after 24 months [1]."),
        # No section has these words, so the text above the first heading is quoted.
        ("return period", ("Send articles back", None), "You can send articles back within 30 days [1]."),
        ("sick child", ("Report an absence", "Illness"), "1. Choose **Report** [1]."),
    ],
)
async def test_a_section_answers_in_place_of_the_description(
    api: Api, cast: Cast, question: str, section: tuple[str, str | None], quote: str
) -> None:
    await publish_shop(api, cast)

    answer = await ask(api(None), cast.acme, question)

    assert answer["answer"].find(quote) >= 0
    assert sections(answer)[0] == section
    for summary in ("what they are worth", "Return period", "Tell the school"):
        assert summary not in answer["answer"]


async def test_a_description_with_a_number_of_its_own_is_quoted(api: Api, cast: Cast) -> None:
    text = "## How to ask\n\nWrite to us with the number of your order, and say why."
    description = "Refunds are possible within 14 days."
    await publish(api(cast.acme.write_key), "Refunds", text, description=description)

    answer = await ask(api(None), cast.acme, "Within how many days are refunds possible?")

    assert answer["answered"] is True
    assert "Refunds are possible within 14 days [1]." in answer["answer"]


async def test_an_article_without_a_text_answers_with_its_description(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Opening hours", "\n", description="The shop is open from Monday to Friday.")

    answer = await ask(api(None), cast.acme, "When is the shop open?")

    assert "The shop is open from Monday to Friday [1]." in answer["answer"]
