"""The settings pages, limited by the person's rights."""

import re
from html import unescape

import pytest
from fastapi import FastAPI

from instep.platform.core import limits
from instep.platform.core.database import Database, Tx
from instep.visitors.subscriptions.actions import request_subscription
from instep.visitors.subscriptions.schemas import Topic
from tests.interfaces.dashboard.conftest import Desk
from tests.support.articles import acting
from tests.support.cast import Api, Cast, Client, RunJobs
from tests.support.drafts import hold_back_statement
from tests.support.file_samples import picture
from tests.support.http import Response, body_of, created
from tests.support.limits import SetSetting
from tests.support.mail_server import MailServer
from tests.support.oauth import connect_somebody
from tests.support.sign_in import HERE, PASSWORD, TOKEN, browser, fresh_email
from tests.support.site_pages import publish, visit

PAGES = (
    "general",
    "site",
    "widget",
    "keys",
    "reviews",
    "webhooks",
    "alerts",
    "email",
    "model",
    "people",
    "trusts",
    "apps",
    "versions",
    "redirects",
    "style",
    "synonyms",
    "suppressed",
    "audit",
)
FOR_OWNERS = ("keys", "reviews", "webhooks", "alerts", "email", "model", "people", "trusts", "apps", "audit")
# The page begins with the focus on it.
SECRET = re.compile(r'id="secret" name="secret" type="text" value="([^"]+)"[^>]* autofocus\b')
HOOK = "https://hooks.slack.com/services/T00000000/B00000000/abcdefghijklmnopqrstuvwx"


@pytest.mark.parametrize("name", PAGES)
async def test_every_page_opens_and_leads_to_the_others(desk: Desk, name: str) -> None:
    answer = await desk.get(f"settings/{name}")

    assert answer.status_code == 200
    for other in PAGES:
        assert f'href="{desk.path(f"settings/{other}")}"' in answer.text
    assert f'href="{desk.path(f"settings/{name}")}" aria-current="page"' in answer.text


async def test_the_widget_can_be_tried_in_all_its_places(desk: Desk, cast: Cast) -> None:
    settings_page = await desk.get("settings/widget")
    demo = await desk.get("settings/widget/demo")

    assert desk.path("settings/widget/demo") in settings_page.text
    assert f'data-bot="{cast.acme.bot_id}" data-key="{cast.acme.bot_key}"' in demo.text
    assert "<instep-help></instep-help>" in demo.text
    assert 'data-instep="open"' in demo.text


@pytest.mark.parametrize("name", PAGES)
async def test_an_editor_sees_what_is_for_editors(editor: Desk, viewer: Desk, name: str) -> None:
    for person in (editor, viewer):
        answer = await person.get(f"settings/{name}")
        assert answer.status_code == (403 if name in FOR_OWNERS else 200)


async def test_a_stranger_finds_no_settings(stranger: Desk) -> None:
    for name in PAGES:
        assert (await stranger.get(f"settings/{name}")).status_code == 404


async def test_owners_see_whether_there_is_a_recent_backup(
    desk: Desk, editor: Desk, owner: Tx, set_setting: SetSetting
) -> None:
    unset = await desk.get("settings/general")
    set_setting("INSTEP_BACKUPS", "/var/backups/instep")
    none_yet = await desk.get("settings/general")
    await owner.execute(
        "insert into backup_runs (began_at, ended_at, name, bytes) values (now(), now(), 'instep.zip', 1)"
    )
    good = await desk.get("settings/general")
    await owner.execute("update backup_runs set began_at = began_at - interval '3 days'")
    late = await desk.get("settings/general")
    await owner.execute("delete from backup_runs")

    assert "Daily backups are not" in unset.text
    assert "no recent backup" in none_yet.text
    assert "every day" in good.text
    assert "no recent backup" in late.text
    assert "Backups" not in (await editor.get("settings/general")).text


async def test_a_name_and_a_language_are_saved_and_told_once(desk: Desk, owner: Tx, cast: Cast) -> None:
    answer = await desk.send("settings/general", "settings/general", name="Acme & Sons", locale="de-AT")
    page = await desk.follow(answer)
    again = await desk.get("settings/general")

    assert "Saved." in page.text
    assert "Saved." not in again.text
    assert 'value="Acme &amp; Sons"' in again.text
    assert re.search(r'value="de-AT"[^>]* list="locale-offers"', again.text)
    assert '<option value="de">Deutsch</option>' in again.text
    row = await owner.value("select name || locale from bots where id = %(id)s", id=cast.acme.bot_id)
    assert row == "Acme & Sonsde-AT"
    audited = await desk.get("settings/audit")
    assert (desk.user.email in audited.text, "change bot" in audited.text) == (True, True)


async def test_a_language_without_the_texts_of_parts_is_refused_until_it_has_them(
    desk: Desk, client: Client, api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    created(await client.post("/v1/parts", json={"name": "note", "text": "English note."}))
    await publish(client, "Prix", "{{part.note}}", locale="fr")

    refusal = await desk.send("settings/general", "settings/general", name="Acme", locale="de")
    assert refusal.status_code == 400
    assert "part.note" in refusal.text

    created(await client.post("/v1/parts", json={"name": "note", "text": "Deutscher Text.", "locale": "de"}))
    await desk.follow(await desk.send("settings/general", "settings/general", name="Acme", locale="de"))
    await run_jobs()
    assert "Deutscher Text." in (await visit(api, f"{cast.acme.slug}/fr/articles/prix")).text


async def test_refused_form_keeps_the_typed_values(desk: Desk) -> None:
    answer = await desk.send("settings/general", "settings/general", name="Better name", locale="nonsense!")

    assert answer.status_code == 400
    assert 'value="Better name"' in answer.text
    assert "Nothing was changed." in answer.text
    assert "Better name" not in (await desk.get("settings/general")).text


async def test_another_help_center_is_made_beside(desk: Desk) -> None:
    fields = {"new_name": "Acme", "slug": "", "new_locale": "en"}
    first = await desk.send("settings/general", "settings/bots", **fields)
    second = await desk.send("settings/general", "settings/bots", **fields)

    paths = {answer.headers["Location"] for answer in (first, second)}
    assert len(paths) == 2
    for path in paths:
        settings = await desk.visitor.get(path.replace("articles", "settings/general"))
        assert settings.status_code == 200


async def test_the_slug_of_another_workspace_is_taken(desk: Desk, cast: Cast) -> None:
    answer = await desk.send(
        "settings/general", "settings/bots", new_name="Mine", slug=cast.globex.slug, new_locale="en"
    )

    assert answer.status_code == 400
    assert "in use already" in answer.text


async def test_a_paused_workspace_refuses_changes_until_it_is_resumed(desk: Desk, client: Client) -> None:
    await desk.send("settings/general", "settings/pause")
    paused = await client.post("/v1/collections", json={"title": "New"})
    refused = await desk.send(
        "settings/redirects", "settings/redirects", **{"from": "/a", "target": "https://b.example"}
    )
    await desk.send("settings/general", "settings/resume")
    resumed = await client.post("/v1/collections", json={"title": "New"})

    assert (paused.status_code, refused.status_code, resumed.status_code) == (402, 402, 201)


async def test_a_key_is_shown_once_and_works_until_it_is_revoked(desk: Desk, api: Api, cast: Cast) -> None:
    page = await desk.follow(
        await desk.send("settings/keys", "settings/keys", name="ci", scope="content:write")
    )
    [key] = SECRET.findall(page.text)
    bot_id = str(cast.acme.bot_id)
    caller = api(key)
    made = await caller.post("/v1/collections", params={"bot_id": bot_id}, json={"title": "By ci"})
    listed = await desk.get("settings/keys")
    [key_id] = re.findall(r'name="id" value="(key_\w+)">\s*<button[^>]*aria-label="Revoke ci"', listed.text)
    await desk.send("settings/keys", "settings/keys/revoke", id=key_id)
    ended = await caller.get("/v1/collections", params={"bot_id": bot_id})

    assert (page.status_code, page.headers["Cache-Control"]) == (200, "no-store")
    assert (made.status_code, ended.status_code) == (201, 401)
    assert key not in listed.text


async def test_a_key_covers_no_bot_of_another_workspace(desk: Desk, cast: Cast) -> None:
    answer = await desk.send(
        "settings/keys", "settings/keys", name="x", scope="content:read", bots=[str(cast.globex.bot_id)]
    )

    assert answer.status_code == 404
    assert "not in this workspace" in answer.text


async def test_keys_of_other_workspaces_cant_be_revoked(desk: Desk, cast: Cast, globex: Client) -> None:
    answer = await desk.send("settings/keys", "settings/keys/revoke", id=cast.globex.write_key_id)

    assert answer.status_code == 404
    assert (await globex.get("/v1/collections")).status_code == 200


async def test_an_accent_is_corrected_and_can_be_taken_back(desk: Desk) -> None:
    yellow = await desk.follow(await desk.send("settings/site", "settings/site", accent="#ffff00"))
    refused = await desk.send("settings/site", "settings/site", accent="no colour")
    blue = await desk.follow(await desk.send("settings/site", "settings/site", accent=""))

    assert re.search(r"<code>#[0-9a-f]{6}</code>", yellow.text)
    assert refused.status_code == 400
    assert "Currently Instep blue" in blue.text


async def test_links_and_legal_lines_stand_around_the_pages(desk: Desk, api: Api, cast: Cast) -> None:
    frame = {
        "logo": "https://cdn.example/logo.svg",
        "header": "Sign in https://app.acme.example",
        "footer": "Terms of use https://acme.example/terms\r\n\r\nMail us mailto:help@acme.example",
        "legal": "Acme Ltd. <Berlin>",
    }

    saved = await desk.follow(await desk.send("settings/site", "settings/site/frame", **frame))
    home = (await api(None).get(f"/help/{cast.acme.slug}/")).text

    assert "Terms of use https://acme.example/terms" in saved.text
    assert '<img src="https://cdn.example/logo.svg"' in home
    assert '<a href="https://app.acme.example">Sign in</a>' in home
    assert '<a href="mailto:help@acme.example">Mail us</a>' in home
    assert "Acme Ltd. &lt;Berlin&gt;" in home


async def test_owners_see_how_many_readers_follow_and_switch_their_emails_off(
    desk: Desk, cast: Cast, database: Database, owner: Tx, mail: MailServer
) -> None:
    for email in ("ann@reader.example", "bob@reader.example"):
        async with acting(database, cast.acme) as ctx:
            await request_subscription(ctx, Topic(""), email, "en", "192.0.2.1")
    confirm = "update subscriptions set confirmed_at = now() where email = 'ann@reader.example'"
    await owner.execute(confirm)
    shown = (await desk.get("settings/site")).text
    await desk.send("settings/site", "settings/site/frame")
    off = (await desk.get("settings/site")).text
    await desk.send("settings/site", "settings/site/frame", follow_by_email="yes")
    on = (await desk.get("settings/site")).text

    assert "1 reader follows" in shown
    boxes = [re.findall('name="follow_by_email"[^>]*checked', page) for page in (shown, off, on)]
    assert [bool(box) for box in boxes] == [True, False, True]


@pytest.mark.parametrize(
    "field",
    [
        {"header": "Home javascript:alert(1)"},
        {"footer": "nothing"},
        {"footer": "\n".join(["A https://acme.example"] * 13)},
        {"logo": "http://cdn.example/logo.png"},
        {"legal": "x" * 501},
    ],
)
async def test_invalid_links_are_refused_and_stay_in_the_form(desk: Desk, field: dict[str, str]) -> None:
    answer = await desk.send("settings/site", "settings/site/frame", **field)

    assert answer.status_code == 400
    assert next(iter(field.values())).splitlines()[0][:40] in answer.text


SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><g><path d="M0 0h9v9z"/></g></svg>'


async def send_pictures(desk: Desk, files: dict[str, tuple[str, bytes]]) -> Response:
    token = re.search(TOKEN, (await desk.get("settings/site")).text)
    assert token is not None
    return await desk.visitor.client.post(
        desk.path("settings/site/frame"),
        data={"form-token": token[1], "legal": "Acme"},
        files=files,
        headers=HERE,
    )


async def test_a_logo_and_an_icon_are_uploaded_and_shown_to_everybody(
    desk: Desk, api: Api, cast: Cast
) -> None:
    files = {"logo-file": ("logo.png", picture(width=8)), "icon-file": ("icon.png", picture(width=9))}
    saved = await desk.follow(await send_pictures(desk, files))
    home = (await api(None).get(f"/help/{cast.acme.slug}/")).text
    logo = re.search(r'<img src="(/files/[^"]+)"', home)
    icon = re.search(r'<link rel="icon" href="(/files/[^"]+)"', home)
    assert logo is not None
    assert icon is not None
    assert "/favicon.ico" not in home
    assert {(await api(None).get(found[1])).status_code for found in (logo, icon)} == {200}
    assert f'value="{logo[1]}"' in saved.text

    await desk.send("settings/site", "settings/site/frame", legal="Acme")
    assert (await api(None).get(logo[1])).status_code == 404


async def test_a_logo_may_be_an_svg_which_is_served_as_a_picture_with_a_policy_of_its_own(
    desk: Desk, api: Api, cast: Cast
) -> None:
    files = {"logo-file": ("logo.svg", SVG), "logo_dark-file": ("night.png", picture(width=8))}
    await desk.follow(await send_pictures(desk, files))
    home = (await api(None).get(f"/help/{cast.acme.slug}/")).text
    logo, night = (re.search(f'{name}="(/files/[^"]+)"', home) for name in ("<img src", "<source srcset"))
    assert logo is not None
    assert night is not None
    served = await api(None).get(logo[1])

    assert served.headers["Content-Type"] == "image/svg+xml"
    assert served.headers["X-Content-Type-Options"] == "nosniff"
    policy = served.headers["Content-Security-Policy"].split("; ")
    assert {"default-src 'none'", "sandbox", "style-src 'unsafe-inline'"} <= set(policy)
    assert b"<path d=" in served.content
    assert 'class="plate"' not in home
    # Article files may still not be SVG, not even the bytes that were served.
    for data in (SVG, served.content):
        refused = await api(cast.acme.write_key).post(
            "/v1/files?name=logo.svg", content=data, headers={"Content-Type": "image/svg+xml"}
        )
        assert (refused.status_code, refused.json()["code"]) == (400, "unsupported_type")


async def test_a_logo_must_be_a_picture(desk: Desk) -> None:
    for name, content in (
        ("terms.txt", b"Words."),
        ("logo.svg", b"<svg/>"),
        ("logo.png", SVG.replace(b"<g", b"<script/><g")),
    ):
        files = {"logo-file": (name, content)}
        answer = await send_pictures(desk, files)
        assert answer.status_code == 400, name


async def test_origins_come_and_go(desk: Desk) -> None:
    added = await desk.follow(
        await desk.send("settings/widget", "settings/widget/origins", origin="https://app.acme.example")
    )
    refused = await desk.send("settings/widget", "settings/widget/origins", origin="app.acme.example/path")
    gone = await desk.follow(
        await desk.send(
            "settings/widget", "settings/widget/origins/remove", remove="https://app.acme.example"
        )
    )

    assert "<code>https://app.acme.example</code>" in added.text
    assert (refused.status_code, "app.acme.example/path" in refused.text) == (400, True)
    assert "<code>https://app.acme.example</code>" not in gone.text


async def test_refused_origins_are_shown_until_they_are_added(desk: Desk, api: Api, cast: Cast) -> None:
    query = {"botKey": cast.acme.bot_key}
    for number in range(limits.MAX_REFUSED_ORIGINS + 2):
        headers = {"Origin": f"https://app{number}.acme.example"}
        refused = await api(None).get(f"/widget/{cast.acme.bot_id}/config", params=query, headers=headers)
        assert refused.status_code == 403
    added = await desk.follow(
        await desk.send("settings/widget", "settings/widget/origins", origin=headers["Origin"])
    )

    assert f'value="{headers["Origin"]}"' not in added.text.partition("Recently refused")[2]
    shown = re.findall(r'name="origin" value="(https[^"]+)"', added.text)
    assert shown == [f"https://app{number}.acme.example" for number in range(10, 1, -1)]


async def test_the_visitor_secret_is_the_same_until_it_is_rotated(desk: Desk) -> None:
    first, second = [
        SECRET.findall((await desk.follow(await desk.send("settings/widget", path))).text)
        for path in ("settings/widget/secret", "settings/widget/secret")
    ]
    answer = await desk.send("settings/widget", "settings/widget/secret/rotate")
    rotated = SECRET.findall((await desk.follow(answer)).text)

    assert first == second != rotated


async def test_a_webhook_is_made_changed_tested_and_deleted(desk: Desk) -> None:
    made = await desk.send(
        "settings/webhooks",
        "settings/webhooks",
        url="https://93.184.215.14/hook",
        events=["*", "lead.created"],
    )
    [secret] = SECRET.findall((await desk.follow(made)).text)
    listed = await desk.get("settings/webhooks")
    [path] = set(re.findall(r"settings/webhooks/wh_\w+", listed.text))
    await desk.send(path, f"{path}/test")
    tested = await desk.get(path)
    await desk.send(path, f"{path}/stop")
    stopped = await desk.get(path)
    again = await desk.send(path, f"{path}/test")
    await desk.send(path, path, url="https://93.184.215.14/other", events=["lead.created"])
    changed = await desk.get(path)
    await desk.send(path, f"{path}/delete")

    assert secret.startswith("whsec_")
    assert secret not in listed.text
    assert "webhook.test" in tested.text
    assert ("next attempt" in tested.text, f"{path}/test" in tested.text) == (True, True)
    assert "webhook is stopped" in stopped.text
    assert ("next attempt" in stopped.text, f"{path}/test" in stopped.text) == (False, False)
    assert again.status_code == 400
    assert "https://93.184.215.14/other" in changed.text
    assert (await desk.get(path)).status_code == 404


async def test_a_webhook_to_a_private_address_is_refused_with_what_was_typed(desk: Desk) -> None:
    answer = await desk.send(
        "settings/webhooks", "settings/webhooks", url="https://10.0.0.1/hook", events=["lead.created"]
    )

    assert (answer.status_code, 'value="https://10.0.0.1/hook"' in answer.text) == (400, True)
    assert re.search(r'value="lead.created" checked', answer.text)


async def test_a_channel_is_added_and_removed_and_its_address_never_shown(desk: Desk) -> None:
    added = await desk.follow(
        await desk.send("settings/alerts", "settings/alerts", url=HOOK, alerts=["lead"])
    )
    [target_id] = set(re.findall(r'name="id" value="(alt_\w+)"', added.text))
    tested = await desk.send("settings/alerts", "settings/alerts/test", id=target_id)
    removed = await desk.follow(await desk.send("settings/alerts", "settings/alerts/remove", id=target_id))

    assert (tested.status_code, HOOK in added.text) == (303, False)
    assert "New drafts" in added.text
    assert target_id not in removed.text


async def test_synonyms_are_saved_by_line_and_a_refusal_keeps_what_was_typed(
    editor: Desk, viewer: Desk
) -> None:
    saved = await editor.follow(
        await editor.send("settings/synonyms", "settings/synonyms", lines="cart, basket\n\nbill,invoice\n")
    )
    refused = await editor.send("settings/synonyms", "settings/synonyms", lines=f"a, {'b' * 500}\n\nalone")

    assert "cart, basket\nbill, invoice</textarea>" in saved.text
    assert refused.status_code == 400
    assert "alone</textarea>" in refused.text
    assert "Line 1: it is longer than 60 characters. Line 3: it must have at least 2 entries." in refused.text
    assert "disabled" in (await viewer.get("settings/synonyms")).text


async def test_redirects_are_added_told_and_deleted(editor: Desk) -> None:
    added = await editor.follow(
        await editor.send(
            "settings/redirects", "settings/redirects", **{"from": "/old", "target": "https://b.example/"}
        )
    )
    twice = await editor.send(
        "settings/redirects", "settings/redirects", **{"from": "/old", "target": "https://c.example/"}
    )
    [redirect_id] = set(re.findall(r'name="id" value="(rdr_\w+)"', added.text))
    deleted = await editor.follow(
        await editor.send("settings/redirects", "settings/redirects/remove", id=redirect_id)
    )

    assert "<code>/old</code>" in added.text
    assert (twice.status_code, 'value="https://c.example/"' in twice.text) == (400, True)
    assert "No redirects yet." in deleted.text


async def test_redirects_are_sorted_searched_and_paged(editor: Desk, client: Client) -> None:
    article = created(
        await client.post("/v1/articles", json={"title": "Invoices", "contentMarkdown": "Text."})
    )
    paths = [f"/old/{number:02}" for number in range(limits.DASHBOARD_PAGE_ROWS + 1)]
    for path in reversed(paths):
        created(await client.post("/v1/redirects", json={"from": path, "articleId": article["id"]}))
    created(await client.post("/v1/redirects", json={"from": "/a", "url": "https://status.example"}))

    first = await editor.get("settings/redirects?q=INVOICE")
    next_page = re.search(r'settings/(redirects\?[^"]*cursor=[^"]*)', first.text)
    assert next_page is not None
    second = await editor.get(f"settings/{unescape(next_page[1])}")

    assert sources(first) + sources(second) == paths
    assert first.text.index("Add redirect") < first.text.index(paths[0])
    assert sources(await editor.get("settings/redirects"))[0] == "/a"
    assert sources(await editor.get("settings/redirects?q=status.ex")) == ["/a"]
    assert "No redirects match" in (await editor.get("settings/redirects?q=%25")).text


def sources(page: Response) -> list[str]:
    return re.findall(r'class="wraps"><code>([^<]+)', page.text)


async def test_a_viewer_has_no_forms_and_changes_nothing(viewer: Desk) -> None:
    page = await viewer.get("settings/redirects")
    answer = await viewer.send(
        "settings/general", "settings/redirects", **{"from": "/x", "target": "https://b.example"}
    )

    assert "New redirect" not in page.text
    assert answer.status_code == 403


async def test_the_audit_is_filtered_and_paged(desk: Desk, owner: Tx, cast: Cast) -> None:
    await owner.execute(
        """
        insert into audit_entries (workspace_id, actor_type, actor_name, channel, action)
        select %(workspace)s, 'api_key', 'robot', 'rest', 'publish_article' from generate_series(1, 101)
        """,
        workspace=cast.acme.workspace_id,
    )
    first = await desk.get("settings/audit?actor=ROBOT&action=publish+art")
    [older] = re.findall(r'rel="next" href="([^"]+)"', first.text)
    second = await desk.visitor.get(older.replace("&amp;", "&"))
    none = await desk.get("settings/audit?actor=nobody")

    assert (first.text.count("publish article"), second.text.count("publish article")) == (100, 1)
    assert "No entries match" in none.text


async def test_the_audit_names_what_was_touched_and_leads_there(
    desk: Desk, client: Client, cast: Cast, owner: Tx
) -> None:
    text = {"title": "Plans <b>", "contentMarkdown": "Two."}
    article_id = body_of(await client.post("/v1/articles", json=text))["id"]
    collection_id = body_of(await client.post("/v1/collections", json={"title": "Gone"}))["id"]
    await client.delete(f"/v1/collections/{collection_id}")
    # An entry of another company, which must never appear in Acme's log.
    await owner.execute(
        """
        insert into audit_entries (workspace_id, actor_type, actor_name, channel, action, resource)
        values (%(workspace)s, 'operator', 'robot', 'command', 'touch', %(bot)s)
        """,
        workspace=cast.acme.workspace_id,
        bot=cast.globex.bot_id,
    )
    audit = (await desk.get("settings/audit")).text

    path = desk.path(f"articles/{article_id}")
    assert f'<a href="{path}" title="{article_id}"><bdi>Plans &lt;b&gt;</bdi></a>' in audit
    assert f"<code>{collection_id}</code>" in audit
    assert f"<code>{cast.globex.bot_id}</code>" in audit


async def test_somebody_is_invited_by_a_link_that_is_shown_once(desk: Desk, app: FastAPI) -> None:
    email = fresh_email("new")
    answer = await desk.send("settings/people", "settings/people", email=email, role="editor")
    [link] = SECRET.findall((await desk.follow(answer)).text)
    again = await desk.get("settings/people")
    async with browser(app) as newcomer:
        joined = await newcomer.send(link, "/join", token=link.partition("token=")[2], password=PASSWORD)
        assert joined.status_code == 303
        assert (await newcomer.sign_in(email)).status_code == 303
    listed = await desk.get("settings/people")

    assert (link in again.text, email in again.text) == (False, True)
    assert f"Role of {email}" in listed.text


async def test_roles_change_and_the_only_owner_stays(desk: Desk, editor: Desk) -> None:
    own, other = {"email": desk.user.email}, {"email": editor.user.email}
    refused = await desk.send("settings/people", "settings/people/role", **own, role="viewer")
    await desk.send("settings/people", "settings/people/role", **other, role="viewer")
    as_viewer = await editor.post("settings/redirects", {})
    await desk.send("settings/people", "settings/people/disable", **other)
    outside = await editor.get("settings/general")
    await desk.send("settings/people", "settings/people/enable", **other)

    assert (refused.status_code, "the only owner" in refused.text) == (400, True)
    assert (as_viewer.status_code, outside.status_code) == (403, 303)


async def test_an_owner_ends_the_connection_of_anybody(
    app: FastAPI, desk: Desk, owner: Tx, cast: Cast, api: Api
) -> None:
    await connect_somebody(app, owner, cast.acme)
    page = await desk.get("settings/apps")
    [grant_id] = re.findall(r'name="id" value="(\w+)"', page.text)
    gone = await desk.follow(await desk.send("settings/apps", "settings/apps", id=grant_id))

    assert "No apps are connected." in gone.text


async def test_suppressed_proposals_are_listed_and_can_be_allowed_again(
    editor: Desk, client: Client, cast: Cast, database: Database
) -> None:
    article = await client.post("/v1/articles", json={"title": "Install", "contentMarkdown": "Run it twice."})
    await hold_back_statement(cast.acme, database, article.json()["id"])
    page = await editor.get("settings/suppressed")
    [suppressed_id] = set(re.findall(r'name="id" value="(sup_\w+)"', page.text))
    lifted = await editor.follow(
        await editor.send("settings/suppressed", "settings/suppressed", id=suppressed_id)
    )
    again = await editor.send("settings/redirects", "settings/suppressed", id=suppressed_id)

    assert ("“it” → “it thrice”" in page.text, "not needed" in page.text) == (True, True)
    assert "Nothing yet." in lifted.text
    assert again.status_code == 404
