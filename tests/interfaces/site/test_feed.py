"""GET /help/{bot}/changelog.xml."""

import xml.etree.ElementTree as ET
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import pytest

from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, Client
from tests.support.changelog_entries import ENTRIES, create_entry, publish_entry
from tests.support.limits import SetLimit
from tests.support.site_pages import visit

SELF = "{http://www.w3.org/2005/Atom}link"


async def feed(api: Api, cast: Cast) -> ET.Element:
    answer = await visit(api, f"{cast.acme.slug}/changelog.xml")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/rss+xml; charset=utf-8"
    channel = ET.fromstring(answer.content).find("channel")
    assert channel is not None
    return channel


async def test_the_feed_holds_what_readers_need(
    client: Client, visitor: Client, api: Api, cast: Cast
) -> None:
    first = await publish_entry(client, "Exports & more", contentMarkdown="Choose **CSV** < XML.")
    second = await publish_entry(client, "設定")
    await create_entry(client, "Draft")

    channel = await feed(api, cast)

    here = f"http://help.test/help/{cast.acme.slug}/changelog"
    assert [child.tag for child in channel][:6] == [
        *("title", "link", "description", "language", SELF, "lastBuildDate")
    ]
    assert [channel.findtext(name) for name in ("title", "link", "language")] == [
        *("Acme changelog", here, "en")
    ]
    self_link = channel.find(SELF)
    assert self_link is not None
    assert self_link.attrib == {"rel": "self", "type": "application/rss+xml", "href": f"{here}.xml"}
    items = channel.findall("item")
    assert [item.findtext("title") for item in items] == ["設定", "Exports & more"]
    assert [item.findtext("link") for item in items] == [
        f"{here}/%E8%A8%AD%E5%AE%9A",
        first["url"],
    ]
    guids = [item.find("guid") for item in items]
    assert [(guid.text, guid.attrib) for guid in guids if guid is not None] == [
        (entry["id"], {"isPermaLink": "false"}) for entry in (second, first)
    ]
    assert items[1].findtext("description") == "<p>Choose <strong>CSV</strong> &lt; XML.</p>\n"
    assert (await visitor.get(items[0].findtext("link") or "")).status_code == 200


async def test_dates_are_those_of_mail_in_utc(client: Client, api: Api, cast: Cast, owner: Tx) -> None:
    entry = await publish_entry(client)
    await owner.execute(
        """update changelog_entries
           set published_at = '2026-03-01 01:30+02', updated_at = '2026-11-21 12:00+00'
           where id = %(id)s""",
        id=entry["id"],
    )

    channel = await feed(api, cast)

    assert channel.findtext("item/pubDate") == "Sat, 28 Feb 2026 23:30:00 GMT"
    assert channel.findtext("lastBuildDate") == "Sat, 21 Nov 2026 12:00:00 GMT"


async def test_a_change_and_a_second_publication_keep_the_date_and_the_id(
    client: Client, api: Api, cast: Cast
) -> None:
    await publish_entry(client)
    before = (await feed(api, cast)).find("item")
    for act in ("unpublish", "publish"):
        await client.post(f"{ENTRIES}/exports-as-csv/{act}")
    await client.patch(f"{ENTRIES}/exports-as-csv", json={"title": "New"})

    channel = await feed(api, cast)

    after = channel.find("item")
    assert before is not None
    assert after is not None
    for name in ("guid", "pubDate", "link"):
        assert after.findtext(name) == before.findtext(name)
    assert after.findtext("title") == "New"
    built = parsedate_to_datetime(channel.findtext("lastBuildDate") or "")
    assert timedelta(0) <= datetime.now(UTC) - built < timedelta(minutes=5)


async def test_links_and_pictures_lead_somewhere_from_a_reader_too(
    client: Client, api: Api, cast: Cast
) -> None:
    text = "[a](/help/x) [b](#two-words) ![c](/static/c.png) [d](https://d.test/)\n\n## Two words"
    entry = await publish_entry(client, contentMarkdown=text)

    content = (await feed(api, cast)).findtext("item/description") or ""

    for address in (
        *("http://help.test/help/x", f"{entry['url']}#h-two-words", "http://help.test/static/c.png"),
        "https://d.test/",
    ):
        assert f'"{address}"' in content


@pytest.mark.parametrize(
    "odd", ["\x01", "\x0b", "\x1f", "\ufffe", "\uffff", "]]>", "<!--", "&nbsp;", "\r", "🙂"]
)
async def test_no_character_breaks_it(client: Client, api: Api, cast: Cast, odd: str) -> None:
    await publish_entry(client, f"Before{odd}after", contentMarkdown=f"Before{odd}after <script>x</script>")

    channel = await feed(api, cast)

    content = channel.findtext("item/title") or ""
    assert (content[:6], content[-5:]) == ("Before", "after")
    assert "script" not in (channel.findtext("item/description") or "")


async def test_only_the_newest_entries_are_in_it(
    client: Client, api: Api, cast: Cast, set_limit: SetLimit
) -> None:
    set_limit("MAX_CHANGELOG_PAGE_ENTRIES", 2)
    for number in range(3):
        await publish_entry(client, f"No {number}")

    titles = [item.findtext("title") for item in (await feed(api, cast)).findall("item")]

    assert titles == ["No 2", "No 1"]


async def test_a_long_text_is_left_to_its_page(client: Client, api: Api, cast: Cast) -> None:
    await publish_entry(client, "Long", contentMarkdown="word " * 20_000)

    item = (await feed(api, cast)).find("item")

    assert item is not None
    assert [child.tag for child in item] == ["title", "link", "guid", "pubDate"]


async def test_a_feed_without_entries_is_a_feed(api: Api, cast: Cast) -> None:
    channel = await feed(api, cast)

    assert channel.findall("item") == []
    assert channel.find("lastBuildDate") is None


async def test_matching_etag_gets_304_until_something_changes(client: Client, api: Api, cast: Cast) -> None:
    await publish_entry(client, contentMarkdown="- [x] done\n- [ ] open")
    path = f"{cast.acme.slug}/changelog.xml"
    etag = (await visit(api, path)).headers["ETag"]

    for _ in range(5):
        again = await visit(api, path, **{"If-None-Match": etag})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", etag)
    await client.post(f"{ENTRIES}/exports-as-csv/unpublish")
    answer_after = await visit(api, path, **{"If-None-Match": etag})
    assert (answer_after.status_code, b"<item>" in answer_after.content) == (200, False)
