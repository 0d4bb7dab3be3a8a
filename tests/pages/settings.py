"""Data for the stage's settings, sent through forms as an owner would, and the actions on these pages."""

from datetime import timedelta
from typing import TYPE_CHECKING

import httpx2
from playwright.async_api import Page

from instep.accounts.people.challenges import put_challenge
from instep.notifications.alerts.alert_addresses import CONFIRM_ALERTS
from instep.platform.core.database import Tx
from instep.platform.core.ids import new_id
from tests.support.cast import Json
from tests.support.oauth import submit
from tests.support.webhook_endpoints import settle

if TYPE_CHECKING:
    from tests.support.stage import Stage

# No host answers at these URLs; the stage runs no jobs, so nothing is sent.
HOOK = "https://93.184.215.14/hooks/a-path-that-is-longer-than-a-telephone-is-wide/instep"
CHAT = "https://hooks.slack.com/services/T00000000/B00000000/abcdefghijklmnopqrstuvwx"
GITHUB = "https://token.actions.githubusercontent.com"
FORMS: tuple[tuple[str, dict[str, str]], ...] = (
    ("site", {"accent": "#e8b500"}),
    ("widget/origins", {"origin": "https://app.nordwind.example"}),
    ("widget/origins", {"origin": "https://staging.a-customer-with-a-long-name.example"}),
    ("webhooks", {"url": HOOK, "description": "Tells the status page", "events": "*"}),
    ("alerts", {"url": CHAT, "alerts": "handoff"}),
    ("alerts", {"url": "a-team-with-a-long-name@a-company-with-a-long-name.example", "alerts": "lead"}),
    (
        "model",
        {
            "provider": "openai",
            "base_url": "https://93.184.215.14/a-gateway-of-a-customer/with-a-long-path/v1",
            "model": "a-customers-own/large-language-model-with-a-long-name",
            "key": "sk-of-the-stage-0123456789",
            "purposes": "editor",
            "input_price": "0.25",
            "output_price": "2",
        },
    ),
    ("style", {"avoid-words": "simply", "heading-case": "sentence", "max-sentence-words": "30"}),
    ("style/rules", {"rule": "Be brief.", "good": "Press **Save**.", "bad": "You can press **Save**."}),
    ("style/terms", {"term": "sign in", "never-say": "log in, login", "meaning": "Begin a session"}),
    ("redirects", {"from": "/hc/*/articles/360012-*", "target": "everything"}),
    ("redirects", {"from": "/old", "target": "https://nordwind.example/a/page/that/has/moved/elsewhere"}),
    ("people", {"email": "invited@nordwind.example", "role": "viewer"}),
    ("keys", {"name": "ci", "scope": "content:write"}),
    (
        "trusts",
        {
            "issuer": GITHUB,
            "claims": "repository=nordwind/a-long-name\nref=refs/heads/*",
            "scope": "content:write",
        },
    ),
    (
        "trusts",
        {
            "issuer": "https://gitlab.com",
            "claims": "project_path=nordwind/app",
            "scope": "content:propose",
        },
    ),
)


async def fill_settings(owner: Tx, url: str, session: str, slug: str) -> dict[str, str]:
    """Submit every settings form; return the webhook's path by the name used in the catalog."""
    path = f"/app/{slug}/settings"
    async with httpx2.AsyncClient(base_url=url, cookies={"instep-session": session}, timeout=30) as browser:
        page = await browser.get(f"{path}/general")
        for below, form in FORMS:
            answer = await submit(browser, page, f"{path}/{below}", **form)
            assert answer.status_code == 303, answer.text
        webhook_id = await owner.value("select id from webhook_endpoints limit 1")
        for _ in range(3):
            await submit(browser, page, f"{path}/webhooks/{webhook_id}/test")
        key_id = await owner.value("select id from api_keys where name = 'ci'")
        await submit(browser, page, f"{path}/keys/revoke", id=key_id)
        trust_id = await owner.value("select id from trusts where issuer = 'https://gitlab.com'")
        await submit(browser, page, f"{path}/trusts/revoke", id=trust_id)
    await settle_deliveries(owner)
    await use_model(owner, slug)
    # Another help center's editor offers a model too, and a third help center's articles are translated.
    await owner.execute(
        """
        insert into language_models
            (workspace_id, bot_id, provider, model, purposes, input_price, output_price)
        select workspace_id, id, 'openai', 'gpt-9', array['editor', 'translations'], 3, 15 from bots
        where slug in ('desk', 'noor')
        """
    )
    await hold_back(owner, slug)
    await connect_repository(owner, slug)
    sql = """
        select jsonb_build_object('workspace', workspace_id, 'target', id) from alert_targets
        where tool = 'email'
    """
    token = await put_challenge(owner, "alert_address", await owner.value(sql), ttl=timedelta(days=1))
    return {
        "confirm_alerts": f"{CONFIRM_ALERTS}?token={token}",
        "webhook": f"{path}/webhooks/{webhook_id}",
        "repository": f"{path}/repositories/repo_of_the_stage",
        "checked-repository": f"{path}/repositories/repo_checked",
    }


async def connect_repository(owner: Tx, slug: str) -> None:
    """Connect repositories in each check state; one is unreadable and has pull requests in each state."""
    await owner.execute(
        """
        insert into code_hosts (id, workspace_id, kind, url, api_url, sealed, created_at)
        select 'host_of_the_stage', workspace_id, 'github', 'https://github.com', 'https://api.github.com',
            '', now() from bots where slug = %(slug)s
        """,
        slug=slug,
    )
    await owner.execute(
        """
        insert into repositories (id, workspace_id, bot_id, code_host_id, remote_id, name, default_branch,
            moment, paths, includes_bots, polled_until, poll_at, last_error, created_at, check_at,
            check_status, check_message, checked_commit, checked_at, wrong_statements, wrong_articles,
            comments, status_mode)
        select 'repo_' || row.id, workspace_id, bots.id, 'host_of_the_stage', row.id, row.name, 'main',
            'merged', array['apps/web'], false, now(), now() + interval '1 day', row.error, now(),
            now() + interval '1 day', row.status, row.message, repeat('4b825dc64', 4), now(), 17, 9,
            true, 'neutral'
        from bots, (values
            ('of_the_stage', 'nordwind/a-repository-with-a-name-that-is-long',
                'GitHub does not accept the token.', 'failed',
                'The repository''s history is larger than 1 GB. Run `instep drift` in a checkout or in CI '
                'instead.'),
            ('checked', 'nordwind/app', null, 'checked', null),
            ('checking', 'nordwind/docs', null, 'running', 'Searching it for the statements of 212 articles.')
        ) as row (id, name, error, status, message)
        where slug = %(slug)s
        """,
        slug=slug,
    )
    await owner.execute(
        """
        insert into repository_changes (id, workspace_id, bot_id, repository_id, number, head, title, url,
            is_approved, status, message, task_id, created_at, updated_at)
        select 'pull_' || status, workspace_id, id, 'repo_of_the_stage', number, repeat('6dcb09b', 5),
            'Raise the limit of uploads to twenty-five megabytes', 'https://github.com/nordwind/app/pull/1',
            false, status, message, null, now(), now()
        from bots, (values ('waiting', 1, null), ('ignored', 2, 'It will be sent when it is merged.'),
            ('failed', 3, 'GitHub does not accept the token.')) as rows (status, number, message)
        where slug = %(slug)s
        """,
        slug=slug,
    )


async def settle_deliveries(owner: Tx) -> None:
    """Let one delivery succeed, one fail, and one wait."""
    ids = await owner.value("select array_agg(id order by id) from deliveries")
    deliveries: list[Json] = [{"id": delivery_id} for delivery_id in ids]
    await settle(owner, deliveries[0], "delivered", 503, 200)
    await settle(owner, deliveries[1], "failed", 503, None)


async def use_model(owner: Tx, slug: str) -> None:
    """Insert thirty days of model usage for each purpose."""
    await owner.execute(
        """
        insert into model_purposes
            (workspace_id, bot_id, day, purpose, calls, input_tokens, output_tokens, cost)
        select b.workspace_id, b.id, current_date - days, purpose, days, days * 9000, days * 800, days * 0.004
        from bots b, generate_series(1, 29) days,
            unnest(array['drafts', 'new_articles', 'answers', 'test']) purpose
        where b.slug = %(slug)s
        """,
        slug=slug,
    )


async def hold_back(owner: Tx, slug: str) -> None:
    for article_slug, summary in (("everything", "“25 MB” → “50 MB”"), (None, "New article: Exports")):
        await owner.execute(
            """
            insert into suppressed_statements (id, workspace_id, bot_id, article_id, key, summary, reason,
                comment, author_type, author_name, created_at)
            select %(id)s, workspace_id, id, (select a.id from articles a where a.bot_id = bots.id
                and a.slug = %(article)s), %(summary)s, %(summary)s, 'not_needed', 'Only we do it.',
                'person', 'anna@nordwind.example', now()
            from bots where slug = %(slug)s
            """,
            id=new_id("sup"),
            article=article_slug,
            summary=summary,
            slug=slug,
        )


async def refuse_language(page: Page, stage: "Stage") -> None:
    await page.get_by_label("Language").first.fill("nonsense!")
    await page.get_by_role("button", name="Save").click()


async def claim_host(page: Page, stage: "Stage") -> None:
    await page.get_by_label("Host name").fill("help.a-customer-with-a-long-name.example")
    await page.get_by_role("button", name="Save host name").click()
    await page.get_by_role("button", name="Check now").wait_for()


async def refuse_claims(page: Page, stage: "Stage") -> None:
    await page.get_by_label("Issuer").fill(GITHUB)
    await page.get_by_label("Claims").fill("repository")
    await page.get_by_role("button", name="Create trust").click()


async def create_key(page: Page, stage: "Stage") -> None:
    await page.get_by_label("Name", exact=True).fill("deploy")
    await page.get_by_role("button", name="Create key").click()


async def show_visitor_secret(page: Page, stage: "Stage") -> None:
    await page.get_by_role("button", name="Show the secret").click()


async def ask_to_delete_webhook(page: Page, stage: "Stage") -> None:
    await page.get_by_role("button", name="Delete", exact=True).click()
    await page.get_by_role("dialog").wait_for()


async def open_a_version(page: Page, stage: "Stage") -> None:
    await page.locator("details summary").first.click()
