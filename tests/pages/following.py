"""Pages for following by email, and the actions on them."""

from typing import TYPE_CHECKING

from playwright.async_api import Page

from instep.platform.identity.keys import hash_key

if TYPE_CHECKING:
    from tests.support.stage import Stage

TOKEN = "of-the-link-in-an-email"
# The rows stored for a request to follow the changelog and one to follow an article.
REQUEST = """
    insert into subscriptions (id, workspace_id, bot_id, email, locale, article_id, token_hash, requested_at,
        confirmed_at, notified_at)
    select 'sub_' || coalesce(a.slug, 'changelog'), b.workspace_id, b.id, 'reader@example.com', 'en', a.id,
        case when a.id is null then %(token)s end, now(), case when a.id is not null then now() end, now()
    from bots b join (select null as id, null as slug union all
        select id, slug from articles where slug = 'what-instep-is') a on true
    where b.slug = 'nordwind'
    on conflict (id, workspace_id) do update
        set token_hash = excluded.token_hash, confirmed_at = excluded.confirmed_at
"""


async def send_bad_address(page: Page, stage: "Stage") -> None:
    """Send input that browsers would reject."""
    await page.evaluate("document.querySelector('main form').noValidate = true")
    await page.fill("#email", "ann")
    await page.get_by_role("button", name="Follow by email").click()


async def open_link(page: Page, stage: "Stage") -> None:
    async with stage.owner("filled") as owner:
        await owner.execute(REQUEST, token=hash_key(TOKEN))
    site = await stage.site("filled")
    await page.goto(f"{site.url}/help/nordwind/subscriptions/confirm?token={TOKEN}")


async def confirm(page: Page, stage: "Stage") -> None:
    await open_link(page, stage)
    await page.get_by_role("button", name="Confirm").click()


async def end_all(page: Page, stage: "Stage") -> None:
    await confirm(page, stage)
    await page.get_by_role("button", name="Unsubscribe from everything").click()
