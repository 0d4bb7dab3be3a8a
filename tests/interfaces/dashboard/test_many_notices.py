"""With ten thousand notices and comments, each page reads only a few rows of them."""

import re

from instep.platform.core import limits
from instep.platform.core.database import Tx
from tests.interfaces.dashboard.conftest import Desk
from tests.support.cast import Cast, Client
from tests.support.http import ok
from tests.support.review_desk import Shelf

COUNT = 10_000


async def test_the_inbox_shows_a_page(desk: Desk, cast: Cast, owner: Tx) -> None:
    await owner.execute(
        """
        insert into notices (id, workspace_id, bot_id, person_id, kind, subject, title, by_name, created_at)
        select 'ntc_' || n, %(workspace)s, %(bot)s, %(person)s, 'commented', 'edit_1', 'Limits', 'Ann',
            now() - n * interval '1 minute'
        from generate_series(1, %(count)s) n
        """,
        workspace=cast.acme.workspace_id,
        bot=cast.acme.bot_id,
        person=desk.user.id,
        count=COUNT,
    )
    shown = list[str]()
    page = await desk.get("inbox")
    for _ in range(3):
        shown += re.findall(r"inbox/(ntc_\d+)/open", page.text)
        [cursor] = set(re.findall(r"inbox\?cursor=([^\"]+)", page.text))
        page = await desk.get(f"inbox?cursor={cursor}")

    assert shown == [f"ntc_{n}" for n in range(1, 3 * limits.DEFAULT_PAGE_SIZE + 1)]
    await desk.send("inbox", "inbox/read")
    sql = "select count(*) from notices where read_at is null and person_id = %(id)s"
    assert await owner.value(sql, id=desk.user.id) == 0


async def test_a_draft_shows_its_newest_comments(
    desk: Desk, client: Client, cast: Cast, owner: Tx, shelf: Shelf
) -> None:
    draft = await shelf.edit("Upload limits")
    await owner.execute(
        """
        insert into comments (id, workspace_id, bot_id, subject, article_id, body, author_type, author_name,
            created_at)
        select 'cmt_' || n, %(workspace)s, %(bot)s, %(draft)s, %(article)s, 'Comment', 'person', 'Ann',
            now() - n * interval '1 minute'
        from generate_series(1, %(count)s) n
        """,
        workspace=cast.acme.workspace_id,
        bot=cast.acme.bot_id,
        draft=draft["id"],
        article=draft["articleId"],
        count=COUNT,
    )
    page = (await desk.get(f"review/{draft['id']}")).text
    ids = list(dict.fromkeys(re.findall(r'id="(cmt_\d+)"', page)))
    assert ids == [f"cmt_{n}" for n in range(limits.MAX_SHOWN_COMMENTS, 0, -1)]

    listed = ok(await client.get(f"/v1/comments?subject={draft['id']}&page_size=100"))
    assert len(listed["results"]) == 100
    assert listed["has_more"]
