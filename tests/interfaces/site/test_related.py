"""Related articles: a few with similar words, and only those that everyone may read."""

from instep.interfaces.site.related import loading
from tests.support.cast import Api, Cast, Client
from tests.support.site_pages import Page, publish, visit

LABEL = "Related articles"


async def read_index(client: Client) -> None:
    """Load the index by a search, because pages do not wait for it."""
    assert (await client.get("/v1/articles/search", params={"q": "invoices"})).status_code == 200


async def related(api: Api, cast: Cast, slug: str) -> list[str]:
    page = Page((await visit(api, f"{cast.acme.slug}/articles/{slug}")).text)
    if not any(attrs.get("aria-label") == LABEL for attrs in page.attributes("nav")):
        return []
    return [link.rpartition("/")[2] for link in page.links_in("nav", LABEL)]


async def test_articles_on_the_same_subject_are_linked_and_others_are_not(
    client: Client, api: Api, cast: Cast
) -> None:
    await publish(client, "Export invoices", "Choose the month, then press Export to get your invoices.")
    await publish(client, "Find an invoice", "All invoices are listed under Billing. Export them as CSV.")
    await publish(client, "Change your password", "Open your profile and choose a new password.")

    await read_index(client)
    assert await related(api, cast, "export-invoices") == ["find-an-invoice"]
    assert await related(api, cast, "change-your-password") == []


async def test_unpublished_articles_are_not_linked(client: Client, api: Api, cast: Cast) -> None:
    await publish(client, "Export invoices", "Choose the month, then export your invoices.")
    other = await publish(client, "Export all invoices", "All invoices of a year are exported.")
    await publish(client, "Export secret invoices", "Export invoices.", visibility="authenticated")
    await read_index(client)
    assert await related(api, cast, "export-invoices") == ["export-all-invoices"]

    await client.patch(f"/v1/articles/{other['id']}", json={"title": "Export the invoices of a year"})
    page = await visit(api, f"{cast.acme.slug}/articles/export-invoices")
    assert "Export the invoices of a year" in page.text

    await client.post(f"/v1/articles/{other['id']}/unpublish")
    assert await related(api, cast, "export-invoices") == []


async def test_a_page_does_not_wait_for_the_index_and_has_them_once_it_is_read(
    client: Client, api: Api, cast: Cast
) -> None:
    await publish(client, "Export invoices", "Choose the month, then export your invoices.")
    await publish(client, "Export all invoices", "All invoices of a year are exported.")
    assert await related(api, cast, "export-invoices") == []

    if reading := loading.get(cast.acme.bot_id):
        await reading
    assert await related(api, cast, "export-invoices") == ["export-all-invoices"]
