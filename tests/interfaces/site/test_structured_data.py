"""Structured data of pages, validated against the parts of schema.org that search engines require."""

import json
import re
from typing import Any

import jsonschema
import pytest

from tests.support.cast import Api, Cast, Client
from tests.support.site_pages import collect, publish, visit

BLOCK = re.compile(r'<script type="application/ld\+json">(.*?)</script>', re.DOTALL)
TEXT = {"type": "string", "minLength": 1}
URL = {"type": "string", "pattern": r"^https?://[!-~]+$"}
NAMED = {"type": "object", "required": ["@type", "name"], "properties": {"name": TEXT}}


def thing(kind: str, required: list[str], properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of this type with only these properties."""
    return {
        "type": "object",
        "required": ["@type", *required],
        "properties": {"@context": {"const": "https://schema.org"}, "@type": {"const": kind}, **properties},
        "additionalProperties": False,
    }


# Search engines' requirements per type: https://developers.google.com/search/docs/appearance/structured-data
SCHEMAS = {
    "WebSite": thing(
        "WebSite",
        ["name", "url", "potentialAction"],
        {
            **{"name": TEXT, "url": URL, "inLanguage": TEXT},
            "potentialAction": thing(
                "SearchAction",
                ["target", "query-input"],
                {
                    "query-input": {"const": "required name=search_term_string"},
                    "target": thing(
                        "EntryPoint",
                        ["urlTemplate"],
                        {"urlTemplate": {"type": "string", "pattern": r"\{search_term_string\}$"}},
                    ),
                },
            ),
        },
    ),
    "TechArticle": thing(
        "TechArticle",
        ["headline", "url", "dateModified", "author", "publisher", "inLanguage"],
        {
            **{"headline": TEXT, "description": TEXT, "url": URL, "image": URL, "inLanguage": TEXT},
            "dateModified": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT[\d:.]+Z$"},
            **{"author": NAMED, "publisher": NAMED, "isPartOf": NAMED},
        },
    ),
    "BreadcrumbList": thing(
        "BreadcrumbList",
        ["itemListElement"],
        {
            "itemListElement": {
                "type": "array",
                "minItems": 2,
                "items": thing(
                    "ListItem",
                    ["position", "name", "item"],
                    {"position": {"type": "integer", "minimum": 1}, "name": TEXT, "item": URL},
                ),
            }
        },
    ),
    "FAQPage": thing(
        "FAQPage",
        ["mainEntity"],
        {
            "inLanguage": TEXT,
            "mainEntity": {
                "type": "array",
                "minItems": 2,
                "items": thing(
                    "Question",
                    ["name", "acceptedAnswer"],
                    {"name": TEXT, "acceptedAnswer": thing("Answer", ["text"], {"text": TEXT})},
                ),
            },
        },
    ),
}


async def things(api: Api, path: str) -> dict[str, dict[str, Any]]:
    """A page's structured data by type, after validation."""
    [block] = BLOCK.findall((await visit(api, path)).text)
    data = json.loads(block)
    assert data["@context"] == "https://schema.org"
    graph: list[dict[str, Any]] = data.get("@graph", [data])
    for said in graph:
        jsonschema.validate(said, SCHEMAS[said["@type"]])
    return {said["@type"]: said for said in graph}


async def test_the_home_page_can_be_searched(client: Client, api: Api, cast: Cast) -> None:
    await publish(client, "Einrichten", locale="de")
    here = f"http://help.test/help/{cast.acme.slug}"

    english = await things(api, f"{cast.acme.slug}/")
    german = await things(api, f"{cast.acme.slug}/de/")

    assert english["WebSite"]["url"] == f"{here}/"
    target = german["WebSite"]["potentialAction"]["target"]["urlTemplate"]
    assert target == f"{here}/de/search?q={{search_term_string}}"


async def test_an_article_says_what_it_is_and_where_it_stands(client: Client, api: Api, cast: Cast) -> None:
    outer = await collect(client, "Guides")
    inner = await collect(client, "Größe", parentId=outer["id"])
    article = await publish(client, "Install", collectionId=inner["id"], description="In a minute.")

    said = await things(api, f"{cast.acme.slug}/articles/install")

    about = said["TechArticle"]
    assert (about["headline"], about["description"], about["url"]) == (
        "Install",
        "In a minute.",
        article["url"],
    )
    assert about["dateModified"] == article["updatedAt"]
    steps = said["BreadcrumbList"]["itemListElement"]
    assert [(step["position"], step["name"]) for step in steps] == [
        *((1, "Acme"), (2, "Guides"), (3, "Größe"), (4, "Install"))
    ]
    for step in steps:
        assert (await api(None).get(step["item"])).status_code == 200
    assert "FAQPage" not in said


async def test_a_collection_says_where_it_stands(client: Client, api: Api, cast: Cast) -> None:
    outer = await collect(client, "Guides")
    inner = await collect(client, "Deeper", parentId=outer["id"])
    await publish(client, "Install", collectionId=inner["id"])

    said = await things(api, f"{cast.acme.slug}/collections/deeper")

    names = [step["name"] for step in said["BreadcrumbList"]["itemListElement"]]
    assert names == ["Acme", "Guides", "Deeper"]


async def test_an_article_of_questions_says_them_with_their_answers(
    client: Client, api: Api, cast: Cast
) -> None:
    text = (
        "Before.\n\n## How do I **pay**?\n\nBy card. See [prices](/x).\n\n- or by *bank*\n\n"
        "## Can I get my money back?\n\nYes & soon, within < 14 days.\n"
    )
    await publish(client, "Questions", text)

    said = await things(api, f"{cast.acme.slug}/articles/questions")

    questions = said["FAQPage"]["mainEntity"]
    assert [(q["name"], q["acceptedAnswer"]["text"]) for q in questions] == [
        ("How do I pay?", "By card. See prices . or by bank"),
        ("Can I get my money back?", "Yes & soon, within < 14 days."),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "## How do I pay?\n\nBy card.\n\n## Prices\n\nLow.\n",
        "## How do I pay?\n\nBy card.\n",
        "## How do I pay?\n\n## When?\n\nSoon.\n",
        "## How?\n\nSo.\n\n## When?\n\n### In short\n\nSoon.\n",
        f"## How?\n\n{'Long. ' * 500}\n\n## When?\n\n{'Longer. ' * 500}\n",
    ],
    ids=["not all are questions", "only one", "without an answer", "with sections", "too long"],
)
async def test_other_articles_are_no_questions(client: Client, api: Api, cast: Cast, text: str) -> None:
    await publish(client, "Questions", text)

    assert "FAQPage" not in await things(api, f"{cast.acme.slug}/articles/questions")


async def test_titles_do_not_leave_the_block(client: Client, api: Api, cast: Cast) -> None:
    hostile = "</script><script>alert(1)</script><!--"
    await publish(client, hostile, slug="hostile", description=hostile)

    page = await visit(api, f"{cast.acme.slug}/articles/hostile")

    assert "<script>" not in page.text
    assert page.text.count("<script") == 2
    said = await things(api, f"{cast.acme.slug}/articles/hostile")
    assert said["TechArticle"]["headline"] == hostile
