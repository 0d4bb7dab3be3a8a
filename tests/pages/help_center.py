"""Data for the stage's servers: realistic help centers, identical in every run."""

from dataclasses import dataclass, field

import httpx2

from instep.accounts.workspaces.actions import create_bot, create_key, create_workspace
from instep.demo.help import read_help
from instep.platform.core.database import Tx
from instep.platform.identity.schemas import Person
from instep.platform.identity.scopes import Role, Scope
from tests.pages.account import add_owner, invitation_paths
from tests.pages.content import fill_content
from tests.pages.review_states import comment_on_drafts, fill_review
from tests.pages.running import run
from tests.pages.settings import fill_settings
from tests.pages.texts import ARABIC, EVERYTHING, GERMAN, NEWS
from tests.pages.versions import write_versions
from tests.pages.writing import begin_elsewhere, preview_draft
from tests.support.cast import Client
from tests.support.changelog_entries import publish_entry
from tests.support.oauth import Request, begin_session, register, submit
from tests.support.sign_in import sign_up
from tests.support.site_pages import collect, publish

LONG_TITLE = (
    "Move several help centers with all their articles, translations and redirects from another product "
    "to this one without losing a single address that is printed somewhere"
)
APPS = ("Claude", "An app with a name that is longer than a telephone is wide, as its maker has chosen it")
# Displayed times are the same in each run.
DAY = "2026-03-02 09:30+00"
TIMES = {
    "articles": ("published_at", "text_changed_at", "updated_at"),
    "changelog_entries": ("published_at", "updated_at"),
    "oauth_grants": ("created_at",),
    "tasks": ("created_at",),
    "files": ("created_at",),
    "imports": ("created_at",),
    "conversations": ("created_at",),
    "messages": ("created_at",),
    "leads": ("created_at",),
    "unanswered_questions": ("first_asked_at", "last_asked_at"),
    "passkeys": ("created_at",),
    "deliveries": ("created_at",),
    "suppressed_statements": ("created_at",),
}


@dataclass
class Site:
    """A server of the stage: its URL, people's cookies, and paths that differ between runs."""

    url: str
    sessions: dict[str, str] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)


async def fill(owner: Tx, url: str) -> Site:
    """Create help centers with and without articles and drafts, and editors with no and several apps."""
    workspace = await create_workspace(owner, "Nordwind")
    keys = {
        slug: await open_help_center(owner, workspace.id, name, slug, locale)
        for name, slug, locale in (
            ("Nordwind Help", "nordwind", "en"),
            ("مركز مساعدة نور", "noor", "ar"),
            ("New", "new", "en"),
            ("Desk", "desk", "en"),
            ("Atlas Help", "atlas", "en"),
        )
    }
    async with client_of(url, keys["nordwind"]) as client:
        await write_english(client)
        paths = await run(owner, client) | await fill_content(owner, client, workspace.id, "nordwind")
    await owner.execute("update bots set frame = '{\"shows_untranslated\": true}' where slug = 'nordwind'")
    async with client_of(url, keys["noor"]) as client:
        await write_arabic(client)
    async with client_of(url, keys["atlas"]) as client:
        await write_versions(client)
    site = Site(url, paths=paths)
    site.sessions["ida"] = await begin_session(
        owner, await add_person(owner, workspace.id, "ida", Role.OWNER)
    )
    async with client_of(url, keys["desk"]) as client:
        site.paths |= await fill_review(owner, client, "desk")
    for name in ("anna", "omar"):
        site.sessions[name] = await begin_session(owner, await add_person(owner, workspace.id, name))
    async with client_of(url, keys["desk"]) as client:
        await comment_on_drafts(owner, client, site.paths)
    vera = await add_person(owner, workspace.id, "vera", Role.VIEWER)
    site.sessions["vera"] = await begin_session(owner, vera)
    site.sessions["olga"] = await add_owner(owner, workspace.id)
    site.paths |= await invitation_paths(owner, workspace.id)
    site.paths |= await fill_settings(owner, url, site.sessions["olga"], "nordwind")
    site.paths["preview"] = await preview_draft(url, site.sessions["olga"], site.paths["review_edit"])
    site.sessions |= await begin_elsewhere(owner)
    async with httpx2.AsyncClient(base_url=url) as app:
        await connect_apps(app, site, "omar")
        request = Request(await register(app, client_name="Claude"), scope="content:read content:write")
        site.paths["consent"] = request.path(resource=f"{url}/mcp/admin")
        site.paths["refused"] = request.path(redirect_uri="https://elsewhere.test/callback")
    for table, columns in TIMES.items():
        await owner.execute(f"update {table} set " + ", ".join(f"{name} = '{DAY}'" for name in columns))
    return site


async def open_help_center(owner: Tx, workspace_id: str, name: str, slug: str, locale: str) -> str:
    """Create a help center; return a key that may write to it."""
    bot = await create_bot(owner, workspace_id, name, slug, locale)
    return (await create_key(owner, workspace_id, f"{slug} writer", Scope.WRITE, [bot.id])).key


def client_of(url: str, key: str) -> Client:
    return httpx2.AsyncClient(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=30)


async def write_english(client: Client) -> None:
    """Publish Instep's own documentation, an article with all Markdown features, and its translation."""
    for section in read_help():
        about = section.about
        group = await collect(
            client, about.title, slug=about.slug, description=about.description, icon=about.icon
        )
        for page in section.pages:
            await publish(
                client,
                page.title,
                page.text,
                slug=page.slug,
                description=page.description,
                collectionId=group["id"],
            )
    await collect(client, "Soon", slug="soon", description="What the next version brings.")
    everything = await publish(
        client, LONG_TITLE, EVERYTHING, slug="everything", description="All that an article may hold."
    )
    await publish(client, "Alles", GERMAN, slug="alles", locale="de", translationOf=everything["id"])
    for title, text in NEWS.items():
        await publish_entry(client, title, contentMarkdown=text)


async def write_arabic(client: Client) -> None:
    group = await collect(
        client, "البداية", slug="start", description="ما تحتاج إليه في اليوم الأول.", icon="🧭"
    )
    for number, title in enumerate(("تثبيت نور على خادمك", "كل ما يمكن أن تحتويه مقالة", "دعوة فريقك")):
        slug = "everything" if number == 1 else f"article-{number}"
        await publish(
            client, title, ARABIC, slug=slug, locale="ar", collectionId=group["id"], description="وصف قصير."
        )
    await publish_entry(client, "الإصدار 2.0", contentMarkdown=ARABIC)


async def add_person(owner: Tx, workspace_id: str, name: str, role: Role = Role.EDITOR) -> Person:
    user = await sign_up(owner, workspace_id, role, f"{name}@nordwind.example")
    return Person(user.id, workspace_id, user.email, role)


async def connect_apps(app: Client, site: Site, name: str) -> None:
    """Connect all `APPS` to this person's account."""
    cookies = {"instep-session": site.sessions[name]}
    async with httpx2.AsyncClient(base_url=site.url, cookies=cookies) as browser:
        for app_name in APPS:
            path = Request(await register(app, client_name=app_name)).path(resource=f"{site.url}/mcp/admin")
            form = {"decision": "allow", "scope": "content:read"}
            answer = await submit(browser, await browser.get(path), path, **form)
            assert answer.status_code == 303, answer.text
