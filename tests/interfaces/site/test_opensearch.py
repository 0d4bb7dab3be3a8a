"""GET /help/{bot}/opensearch.xml and /help/{bot}/suggestions."""

import xml.etree.ElementTree as ET

from instep.platform.core import limits
from tests.support.cast import Api, Cast, Client
from tests.support.limits import SetLimit
from tests.support.site_pages import publish, visit
from tests.support.wording import like

NAMESPACE = {"o": "http://a9.com/-/spec/opensearch/1.1/"}
SUGGESTIONS = "application/x-suggestions+json"


async def test_browsers_can_add_the_search(client: Client, visitor: Client, api: Api, cast: Cast) -> None:
    await publish(client, "Install")

    answer = await visit(api, f"{cast.acme.slug}/opensearch.xml")

    assert answer.headers["Content-Type"] == "application/opensearchdescription+xml; charset=utf-8"
    root = ET.fromstring(answer.content)
    assert root.tag == f"{{{NAMESPACE['o']}}}OpenSearchDescription"
    assert root.findtext("o:ShortName", "", NAMESPACE) == "Acme"
    assert root.findtext("o:Description", "", NAMESPACE) == like("…Acme")
    templates = {url.attrib["type"]: url.attrib["template"] for url in root.findall("o:Url", NAMESPACE)}
    assert list(templates) == ["text/html", SUGGESTIONS]
    for media_type, template in templates.items():
        result = await visitor.get(template.replace("{searchTerms}", "install"))
        assert result.headers["Content-Type"].startswith(media_type)
        assert "Install" in result.text


async def test_titles_are_suggested(client: Client, api: Api, cast: Cast) -> None:
    await publish(client, "Export your data", description="As CSV")
    await publish(client, "Data Größe")
    await publish(client, "Daten", locale="de")
    await publish(client, "Data for staff", visibility="authenticated")

    answer = await visit(api, f"{cast.acme.slug}/suggestions?q=%20DATA")

    here = f"http://help.test/help/{cast.acme.slug}/articles"
    assert answer.headers["Content-Type"] == SUGGESTIONS
    assert (answer.headers["Cache-Control"], answer.headers["X-Robots-Tag"]) == ("no-store", "noindex")
    assert answer.json() == [
        "DATA",
        ["Data Größe", "Export your data"],
        ["", "As CSV"],
        [f"{here}/data-gr%C3%B6%C3%9Fe", f"{here}/export-your-data"],
    ]


async def test_odd_queries_have_no_suggestions(client: Client, api: Api, cast: Cast) -> None:
    await publish(client, "Install")

    for query in ("", "i", "%25%25", "__", "nothing", "%00"):
        answer = await visit(api, f"{cast.acme.slug}/suggestions?q={query}")
        assert (answer.status_code, answer.json()[1:]) == (200, [[], [], []])
    long = "x" * (limits.MAX_QUERY_CHARACTERS + 1)
    assert (await visit(api, f"{cast.acme.slug}/suggestions?q={long}")).status_code == 400


async def test_suggestions_count_as_searches(api: Api, cast: Cast, set_limit: SetLimit) -> None:
    set_limit("SITE_SEARCHES_PER_MINUTE", 1)
    path = f"{cast.acme.slug}/suggestions?q=install"

    assert [(await visit(api, path)).status_code for _ in range(2)] == [200, 429]
