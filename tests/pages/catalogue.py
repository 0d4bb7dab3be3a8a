"""The catalog of all pages in all their states; a new page or state is one more line in `PAGES`."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from playwright.async_api import Page

from tests.pages import account, backups, following, imports, settings, widget, writing
from tests.support.stage import Stage

# Actions on an open page that bring it into a state.
Step = Callable[[Page, Stage], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class PageState:
    """One page state: its path, the signed-in person, and the actions that lead to it."""

    page: str
    state: str
    path: str
    # The site of the stage that the path belongs to.
    site: str = "filled"
    person: str | None = None
    step: Step | None = None
    status: int = 200

    @property
    def name(self) -> str:
        return f"{self.page}, {self.state}"

    @property
    def slug(self) -> str:
        return self.name.replace(", ", "--").replace(" ", "-").lower()


async def send_wrong_password(page: Page, stage: Stage) -> None:
    await page.fill("#email", "nobody@nordwind.example")
    await page.fill("#password", "not the password")
    await page.click("main button")


async def send_form_without_cookies(page: Page, stage: Stage) -> None:
    await page.context.clear_cookies()
    await send_wrong_password(page, stage)


async def exceed_limit(page: Page, stage: Stage) -> None:
    """Request more than the one page allowed in this minute."""
    limited = await stage.site("limited")
    await page.request.get(f"{limited.url}/")
    await page.goto(f"{limited.url}/")


async def send_bad_contact(page: Page, stage: Stage) -> None:
    """Send input that browsers would reject."""
    await page.evaluate("document.querySelector('main form').noValidate = true")
    await page.fill("#email", "ann")
    await page.get_by_role("button", name="Send").click()


async def find_no_help(page: Page, stage: Stage) -> None:
    await page.get_by_role("button", name="No", exact=True).click()


async def open_menu(page: Page, stage: Stage) -> None:
    await page.locator("[data-row] [popovertarget]").first.click()


async def open_dismissal(page: Page, stage: Stage) -> None:
    await page.get_by_role("button", name="Dismiss").click()


async def open_new_comment(page: Page, stage: Stage) -> None:
    await page.locator("summary", has_text="Add a comment").press("Enter")


async def open_own_comment(page: Page, stage: Stage) -> None:
    """Open the form of one's own comment and its earlier texts."""
    for words in ("Edited", "Edit"):
        await page.locator(".comments summary").get_by_text(words, exact=True).first.press("Enter")


async def open_resolved_thread(page: Page, stage: Stage) -> None:
    await page.locator("summary", has_text="Resolved by").press("Enter")


async def open_more(page: Page, stage: Stage) -> None:
    await page.get_by_role("button", name="More", exact=True).click()


async def ask_to_delete(page: Page, stage: Stage) -> None:
    await open_more(page, stage)
    await page.get_by_role("button", name="Delete…").click()


async def change_price(page: Page, stage: Stage) -> None:
    await page.fill("#text", "15 €")
    await page.get_by_role("button", name="Save").click()


async def save_without_title(page: Page, stage: Stage) -> None:
    await page.fill("#title", " ")
    await page.click("main button")


async def send_editor(page: Page, **fields: str) -> None:
    """Submit the editor's form as without scripts, with some fields changed."""
    # Submitting would abort the page's pending requests.
    await page.wait_for_load_state("networkidle")
    async with page.expect_navigation():
        await page.evaluate(
            """(fields) => {
                const form = document.getElementById("editor");
                const fill = ({ formData }) => {
                    for (const [name, value] of Object.entries(fields)) formData.set(name, value);
                };
                form.addEventListener("formdata", fill);
                form.submit();
            }""",
            fields,
        )


async def choose_taken_address(page: Page, stage: Stage) -> None:
    await send_editor(page, slug="what-instep-is")


async def write_at_the_same_time(page: Page, stage: Stage) -> None:
    await send_editor(page, content="Ours.\n", version="of an earlier text")


async def link_to_nothing(page: Page, stage: Stage) -> None:
    text = "See [this](/help/nordwind/articles/nothing).\n"
    await send_editor(page, title="New", content=text, act="publish")


async def open_versions(page: Page, stage: Stage) -> None:
    """Open the list of versions, which is in the menu of a narrow window."""
    menu = page.get_by_role("button", name="Menu")
    if await menu.is_visible():
        await menu.click()
    await page.locator("nav[aria-label=Version] summary:visible").click()


PAGES = (
    PageState("Front page", "nothing yet", "/", "empty"),
    PageState("Front page", "several help centers", "/"),
    PageState("Front page", "several workspaces", "/", "shared"),
    PageState("Home", "filled", "/help/nordwind/"),
    PageState("Home", "some untranslated", "/help/nordwind/de/"),
    PageState("Home", "empty", "/help/new/"),
    PageState("Home", "right to left", "/help/noor/"),
    PageState("Collection", "filled", "/help/nordwind/collections/run-it"),
    PageState("Collection", "empty", "/help/nordwind/collections/soon"),
    PageState("Article", "everything", "/help/nordwind/articles/everything"),
    PageState("Article", "text only", "/help/nordwind/articles/what-instep-is"),
    PageState("Article", "German", "/help/nordwind/de/articles/alles"),
    PageState("Article", "untranslated", "/help/nordwind/de/articles/what-instep-is"),
    PageState("Article", "right to left", "/help/noor/articles/everything"),
    PageState("Home", "older version", "/help/atlas/versions/1.x/"),
    PageState("Article", "current version", "/help/atlas/articles/install", step=open_versions),
    PageState("Article", "older version", "/help/atlas/versions/1.x/articles/install"),
    PageState("Article", "version not released", "/help/atlas/versions/3.0/de/articles/install"),
    PageState("Article", "not in the version", "/help/atlas/articles/telnet"),
    PageState("Search", "results of other versions", "/help/atlas/search?q=telnet"),
    PageState("Search", "no question", "/help/nordwind/search"),
    PageState("Search", "results", "/help/nordwind/search?q=timeout"),
    PageState("Search", "untranslated results", "/help/nordwind/de/search?q=timeout"),
    PageState("Search", "no results", "/help/nordwind/search?q=zeppelin"),
    PageState("Ask", "no question", "/help/nordwind/ask"),
    PageState("Ask", "answered", "/help/nordwind/ask?q=How+do+I+try+the+demo%3F"),
    PageState("Ask", "declined", "/help/nordwind/ask?q=Do+you+sell+zeppelins%3F"),
    PageState("Ask", "right to left", "/help/noor/ask?q=نور"),
    PageState("Sign-in of visitors", "refused", "/help/nordwind/sso?token=over", status=400),
    PageState("Connect an AI client", "address and steps", "/help/nordwind/connect"),
    PageState("Contact", "empty", "/help/nordwind/contact"),
    PageState("Contact", "errors", "/help/nordwind/contact", step=send_bad_contact, status=400),
    PageState("Contact", "sent", "/help/nordwind/contact?sent=yes"),
    PageState("Follow", "article", "/help/nordwind/follow?article=what-instep-is"),
    PageState("Follow", "right to left", "/help/noor/follow"),
    PageState("Follow", "errors", "/help/nordwind/follow", step=following.send_bad_address, status=400),
    PageState("Follow", "sent", "/help/nordwind/follow?sent=yes"),
    PageState("Follow", "link in the email", "/help/nordwind/", step=following.open_link),
    PageState("Subscriptions", "confirmed", "/help/nordwind/", step=following.confirm),
    PageState("Subscriptions", "ended", "/help/nordwind/", step=following.end_all),
    PageState("Subscriptions", "link not valid", "/help/nordwind/subscriptions?token=x", status=400),
    PageState("Feedback", "thanks", "/help/nordwind/feedback"),
    PageState("Feedback", "reasons", "/help/nordwind/articles/what-instep-is", step=find_no_help),
    PageState("Search", "right to left", "/help/noor/search?q=نور"),
    PageState("Changelog", "filled", "/help/nordwind/changelog"),
    PageState("Changelog", "empty", "/help/new/changelog"),
    PageState("Changelog entry", "filled", "/help/nordwind/changelog/version-2-0"),
    PageState("Sign in", "empty", "/sign-in"),
    PageState("Sign in", "without email", "/sign-in", "backed up"),
    PageState("Forgotten password", "empty", "/sign-in/forgotten"),
    PageState("Forgotten password", "sent", "/sign-in/forgotten", step=account.ask_for_link),
    PageState("Forgotten password", "link", "{reset}"),
    PageState("Forgotten password", "weak password", "{reset}", step=account.reset_weakly, status=400),
    PageState("Forgotten password", "link not valid", "/sign-in/reset?token=nothing", status=404),
    PageState("Sign in", "wrong password", "/sign-in", step=send_wrong_password, status=401),
    PageState("Editor", "new article", "/app/nordwind/articles/new", person="anna"),
    PageState("Editor", "article", "/app/nordwind/articles/what-instep-is/edit", person="anna"),
    PageState("Editor", "right to left", "/app/noor/articles/article-0/edit", person="anna"),
    PageState("Editor", "translation", "/app/nordwind/articles/alles/edit", person="anna"),
    PageState(
        "Editor",
        "taken address",
        "/app/nordwind/articles/try-the-demo/edit",
        person="anna",
        step=choose_taken_address,
        status=400,
    ),
    PageState(
        "Editor",
        "two at once",
        "/app/nordwind/articles/try-the-demo/edit",
        person="anna",
        step=write_at_the_same_time,
        status=409,
    ),
    PageState(
        "Editor",
        "dead link",
        "/app/nordwind/articles/new",
        person="anna",
        step=link_to_nothing,
        status=409,
    ),
    PageState("Editor", "new entry", "/app/nordwind/changelog/new", person="anna"),
    PageState("Sign in", "code", "/sign-in", step=writing.sign_in_with_code),
    PageState("Consent", "asked", "{consent}", person="anna"),
    PageState("Consent", "refused", "{refused}", person="anna", status=400),
    PageState("Connected apps", "none", "/app/connected-apps", person="anna"),
    PageState("Connected apps", "some", "/app/connected-apps", person="omar"),
    PageState("Tasks", "filled", "/app/nordwind/tasks", person="anna"),
    PageState("Tasks", "empty", "/app/new/tasks", person="anna"),
    PageState("Tasks", "none in this state", "/app/new/tasks?status=failed", person="anna"),
    PageState("Task", "completed", "/app/nordwind/tasks/{task-completed}", person="anna"),
    PageState("Task", "running", "/app/nordwind/tasks/{task-running}", person="anna"),
    PageState("Task", "failed", "/app/nordwind/tasks/{task-failed}", person="anna"),
    PageState("Send a task", "change", "/app/nordwind/tasks/new", person="anna"),
    PageState("Send a task", "article", "/app/nordwind/tasks/new?about=article", person="anna"),
    PageState("Questions", "filled", "/app/nordwind/questions", person="anna"),
    PageState("Questions", "empty", "/app/new/questions", person="anna"),
    PageState("Questions", "none in this state", "/app/new/questions?status=dismissed", person="anna"),
    PageState("Merge questions", "choices", "/app/nordwind/questions/{question}/merge", person="anna"),
    PageState("Conversations", "filled", "/app/nordwind/conversations", person="ida"),
    PageState("Conversations", "empty", "/app/new/conversations", person="anna"),
    PageState("Conversations", "contact details", "/app/nordwind/conversations?status=leads", person="anna"),
    PageState(
        "Conversations",
        "contact details that are done",
        "/app/nordwind/conversations?status=leads&show=all",
        person="anna",
    ),
    PageState("Conversation", "escalated", "/app/nordwind/conversations/{conversation}", person="ida"),
    PageState("Visitor data", "nobody yet", "/app/nordwind/conversations/visitor", person="ida"),
    PageState(
        "Visitor data",
        "somebody",
        "/app/nordwind/conversations/visitor?conversation={conversation}",
        person="ida",
    ),
    PageState("Health", "by kind", "/app/nordwind/health", person="anna"),
    PageState("Health", "one kind", "/app/nordwind/health?kind=broken_link", person="anna"),
    PageState("Health", "by article", "/app/nordwind/health?by=article", person="anna"),
    PageState("Health", "what readers say", "/app/nordwind/health?by=feedback", person="anna"),
    PageState("Health", "no reader said anything", "/app/new/health?by=feedback", person="anna"),
    PageState("Health", "what visitors do", "/app/nordwind/health?by=visits", person="anna"),
    PageState("Health", "no visitor yet", "/app/new/health?by=visits", person="anna"),
    PageState("Health", "empty", "/app/new/health", person="anna"),
    PageState("Files", "filled", "/app/nordwind/files", person="anna"),
    PageState("Files", "empty", "/app/new/files", person="anna"),
    PageState("Imports", "filled", "/app/nordwind/import", person="anna"),
    PageState("Imports", "empty", "/app/new/import", person="anna"),
    PageState(
        "Imports",
        "following an API",
        "/app/nordwind/import",
        person="anna",
        step=imports.follow_api_description,
    ),
    PageState("Import", "being read", "/app/nordwind/import/{import-reading}", person="anna"),
    PageState("Import", "ready", "/app/nordwind/import/{import-ready}", person="anna"),
    PageState("Import", "under way", "/app/nordwind/import/{import-importing}", person="anna"),
    PageState("Import", "completed", "/app/nordwind/import/{import-completed}", person="anna"),
    PageState("Import", "failed", "/app/nordwind/import/{import-failed}", person="anna"),
    PageState("Import", "nothing to do", "/app/nordwind/import/{import-unchanged}", person="anna"),
    PageState(
        "Imports",
        "refused",
        "/app/new/import",
        person="anna",
        step=imports.send_no_archive,
        status=400,
    ),
    PageState("Articles", "filled", "/app/nordwind/articles", person="anna"),
    PageState("Articles", "one collection", "/app/nordwind/articles?collection=none", person="anna"),
    PageState(
        "Articles", "menu open", "/app/nordwind/articles?collection=none", person="anna", step=open_menu
    ),
    PageState("Articles", "nothing matches", "/app/nordwind/articles?q=zeppelin", person="anna"),
    PageState("Articles", "empty", "/app/new/articles", person="anna"),
    PageState("Articles", "right to left", "/app/noor/articles", person="anna"),
    PageState("Change articles", "some", "/app/nordwind/articles/bulk?all=yes", person="anna"),
    PageState("Find and replace", "empty", "/app/nordwind/articles/replace", person="anna"),
    PageState(
        "Find and replace", "filled", "/app/nordwind/articles/replace?find=the&replacement=a", person="anna"
    ),
    PageState("Recently deleted", "filled", "/app/nordwind/articles/deleted", person="anna"),
    PageState("Languages of articles", "filled", "/app/nordwind/articles/languages", person="anna"),
    PageState("Translate articles", "empty", "/app/nordwind/articles/translate", person="anna"),
    PageState("Translate articles", "cost", "/app/noor/articles/translate?locale=fr", person="anna"),
    PageState(
        "Translate articles", "without a model", "/app/nordwind/articles/translate?locale=fr", person="anna"
    ),
    PageState("Languages of articles", "empty", "/app/new/articles/languages", person="anna"),
    PageState("Recently deleted", "empty", "/app/new/articles/deleted", person="anna"),
    PageState("Article page", "everything", "{article}?check=yes", person="anna"),
    PageState("Article page", "a draft", "{limits}", person="anna"),
    PageState("Article page", "menu open", "{limits}", person="anna", step=open_more),
    PageState("Article page", "asks before deleting", "{limits}", person="anna", step=ask_to_delete),
    PageState("Article page", "delete without scripts", "{limits}/delete", person="anna"),
    PageState("Article page", "move", "{limits}/move", person="anna"),
    PageState("Article page", "unpublished changes", "{article}/changes", person="anna"),
    PageState("History", "three versions", "{limits}/history", person="anna"),
    PageState("History", "an earlier version", "{limits}/history?version=1&with=3", person="anna"),
    PageState("Translations", "older than the original", "{limits}/translations", person="anna"),
    PageState("Translations", "none", "/app/nordwind/articles/what-instep-is/translations", person="anna"),
    PageState("Collections", "filled", "/app/nordwind/collections", person="anna"),
    PageState("Collections", "empty", "/app/new/collections", person="anna"),
    PageState("Collections", "new", "/app/nordwind/collections/new", person="anna"),
    PageState("Collections", "edit", "{hidden}", person="anna"),
    PageState("Collections", "refused", "{hidden}", person="anna", step=save_without_title, status=400),
    PageState("Collections", "delete", "/app/nordwind/collections/soon/delete", person="anna"),
    PageState("Parts and variables", "filled", "/app/nordwind/parts", person="anna"),
    PageState("Parts and variables", "empty", "/app/new/parts", person="anna"),
    PageState("Parts and variables", "new", "/app/nordwind/parts/new?kind=variable", person="anna"),
    PageState("Parts and variables", "one", "{part}", person="anna"),
    PageState("Parts and variables", "asks before changing", "{part}", person="anna", step=change_price),
    PageState("Changelog list", "filled", "/app/nordwind/changelog", person="anna"),
    PageState("Changelog list", "nothing matches", "/app/nordwind/changelog?status=archived", person="anna"),
    PageState("Changelog list", "empty", "/app/new/changelog", person="anna"),
    PageState("Changelog page", "published", "{entry}", person="anna"),
    PageState("Changelog page", "delete without scripts", "{entry}/delete", person="anna"),
    PageState("Review", "nothing yet", "/app/new/review", person="anna"),
    PageState("Review", "queue", "/app/desk/review", person="anna"),
    PageState("Review", "no match", "/app/desk/review?kind=question", person="anna"),
    PageState("Review", "page", "{review_edit}", person="anna"),
    PageState("Review", "dismissal", "{review_edit}", person="anna", step=open_dismissal),
    PageState("Review", "new comment", "{review_edit}", person="anna", step=open_new_comment),
    PageState("Review", "comment edited", "{review_edit}", person="anna", step=open_own_comment),
    PageState("Review", "resolved thread", "{review_edit}", person="anna", step=open_resolved_thread),
    PageState("Review", "no comments", "{review_table}", person="vera"),
    PageState("Review", "versions", "{review_other}/versions", person="anna"),
    PageState("Inbox", "filled", "/app/desk/inbox", person="anna"),
    PageState("Inbox", "empty", "/app/new/inbox", person="anna"),
    PageState("Review", "left out", "{review_edit}?out=1", person="anna"),
    PageState("Review", "text", "{review_edit}?view=text", person="anna"),
    PageState("Review", "side by side", "{review_edit}?view=sides", person="anna"),
    PageState("Review", "edit", "{review_edit}/edit", person="anna"),
    PageState("Review", "conflict", "{review_conflict}", person="anna"),
    PageState("Review", "long table", "{review_table}", person="anna"),
    PageState("Review", "long code", "{review_code}", person="anna"),
    PageState("Review", "settled", "{review_settled}", person="anna"),
    PageState("Review", "source", "{review_edit}/source", person="anna"),
    PageState("Review", "place", "{review_place_open}", person="anna"),
    PageState("Review", "place dismissal", "{review_place_open}", person="anna", step=open_dismissal),
    PageState("Review", "place resolved", "{review_place_resolved}", person="anna"),
    PageState("Editor", "place", "{write_open}", person="anna"),
    PageState("Editor", "model menu at a place", "{write_open}", person="anna", step=writing.open_model_menu),
    PageState("Editor", "place resolved", "{write_resolved}", person="anna"),
    PageState("Set up", "empty", "{setup}", "empty"),
    PageState("Set up", "weak password", "{setup}", "empty", step=account.set_up_weakly, status=400),
    PageState("Set up", "link not valid", "/app/setup?token=nothing", status=404),
    PageState("Set up", "new help center", "/app/new-help-center", person="olga"),
    PageState("Refused page", "in the dashboard", "/app/nordwind/nope", person="anna", status=404),
    PageState("Refused page", "in a help center", "/help/nordwind/articles/nope", status=404),
    PageState("Refused page", "elsewhere", "/nope", status=404),
    PageState("Get started", "no key", "/app/new/get-started", person="olga"),
    PageState("Get started", "key shown", "/app/new/get-started", person="olga", step=account.create_key),
    PageState("Get started", "editor", "/app/new/get-started", person="anna"),
    PageState("Invitation", "somebody new", "{join_new}"),
    PageState("Invitation", "has an account", "{join_known}"),
    PageState("Invitation", "for somebody else", "{join_new}", person="anna"),
    PageState("Account", "plain", "/app/account", person="anna"),
    PageState("Account", "everything", "/app/account", person="olga"),
    PageState("Account", "authenticator", "/app/account", person="olga", step=account.begin_authenticator),
    PageState("Account", "recovery codes", "/app/account", person="olga", step=account.renew_codes),
    PageState("Account", "new address", "{new_address}", person="olga"),
    PageState("Email link", "confirm an address", "{confirm_alerts}"),
    PageState("Email link", "not valid", "/email/unsubscribe?token=nothing", status=404),
    PageState("Account", "prove again", "/app/verify", person="olga"),
    PageState("Settings", "general", "/app/nordwind/settings/general", person="olga"),
    PageState("Settings", "help center", "/app/nordwind/settings/site", person="olga"),
    PageState("Settings", "widget", "/app/nordwind/settings/widget", person="olga"),
    PageState("Settings", "keys", "/app/nordwind/settings/keys", person="olga"),
    PageState("Settings", "trusts", "/app/nordwind/settings/trusts", person="olga"),
    PageState("Settings", "repositories", "/app/nordwind/settings/repositories", person="olga"),
    PageState("Settings", "repositories empty", "/app/fresh/settings/repositories", person="fritz"),
    PageState("Repository", "with pull requests", "{repository}", person="olga"),
    PageState("Repository", "checked", "{checked-repository}", person="olga"),
    PageState("Health", "drift", "/app/nordwind/health?by=drift", person="olga"),
    PageState("Health", "drift empty", "/app/fresh/health?by=drift", person="fritz"),
    PageState("Get started", "checked repository", "/app/nordwind/get-started", person="olga"),
    PageState("Settings", "webhooks", "/app/nordwind/settings/webhooks", person="olga"),
    PageState("Settings", "alerts", "/app/nordwind/settings/alerts", person="olga"),
    PageState("Settings", "email", "/app/nordwind/settings/email", person="olga"),
    PageState("Settings", "language model", "/app/nordwind/settings/model", person="olga"),
    PageState("Settings", "people", "/app/nordwind/settings/people", person="olga"),
    PageState("Settings", "apps", "/app/nordwind/settings/apps", person="olga"),
    PageState("Settings", "reviews", "/app/nordwind/settings/reviews", person="olga"),
    PageState("Settings", "versions", "/app/nordwind/settings/versions", person="olga"),
    PageState("Settings", "redirects", "/app/nordwind/settings/redirects", person="olga"),
    PageState("Settings", "not proposed again", "/app/nordwind/settings/suppressed", person="olga"),
    PageState("Settings", "audit", "/app/nordwind/settings/audit", person="olga"),
    PageState("Settings", "widget demo", "/app/nordwind/settings/widget/demo", person="olga"),
    PageState("Settings", "widget empty", "/app/fresh/settings/widget", person="fritz"),
    PageState("Settings", "keys empty", "/app/fresh/settings/keys", person="fritz"),
    PageState("Settings", "trusts empty", "/app/fresh/settings/trusts", person="fritz"),
    PageState("Settings", "webhooks empty", "/app/fresh/settings/webhooks", person="fritz"),
    PageState("Settings", "alerts empty", "/app/fresh/settings/alerts", person="fritz"),
    PageState("Settings", "language model empty", "/app/fresh/settings/model", person="fritz"),
    PageState("Settings", "apps empty", "/app/fresh/settings/apps", person="fritz"),
    PageState("Settings", "style", "/app/nordwind/settings/style?rule=Be+brief.", person="olga"),
    PageState("Settings", "style empty", "/app/fresh/settings/style", person="fritz"),
    PageState("Settings", "synonyms", "/app/nordwind/settings/synonyms", person="olga"),
    PageState(
        "Settings",
        "a version to change",
        "/app/nordwind/settings/versions",
        person="olga",
        step=settings.open_a_version,
    ),
    PageState("Article page", "versions", "{table}", person="anna"),
    PageState("Settings", "versions empty", "/app/fresh/settings/versions", person="fritz"),
    PageState("Settings", "redirects empty", "/app/fresh/settings/redirects", person="fritz"),
    PageState("Settings", "nothing dismissed", "/app/fresh/settings/suppressed", person="fritz"),
    PageState("Settings", "general for an editor", "/app/nordwind/settings/general", person="anna"),
    PageState(
        "Settings", "nothing in the audit", "/app/nordwind/settings/audit?actor=zeppelin", person="olga"
    ),
    PageState(
        "Settings",
        "refused",
        "/app/nordwind/settings/general",
        person="olga",
        step=settings.refuse_language,
        status=400,
    ),
    PageState(
        "Settings",
        "host name claimed",
        "/app/fresh/settings/site",
        person="fritz",
        step=settings.claim_host,
    ),
    PageState("Settings", "key shown", "/app/fresh/settings/keys", person="fritz", step=settings.create_key),
    PageState(
        "Settings",
        "visitor secret",
        "/app/nordwind/settings/widget",
        person="olga",
        step=settings.show_visitor_secret,
    ),
    PageState(
        "Settings",
        "trust refused",
        "/app/nordwind/settings/trusts",
        person="olga",
        step=settings.refuse_claims,
        status=400,
    ),
    PageState(
        "Settings",
        "backed up",
        "/app/westwind/settings/general",
        "backed up",
        person="beate",
        step=backups.make_backup,
    ),
    PageState(
        "Settings",
        "backup failed",
        "/app/westwind/settings/general",
        "backed up",
        person="beate",
        step=backups.fail_backup,
    ),
    PageState("Webhook", "deliveries", "{webhook}", person="olga"),
    PageState(
        "Webhook", "asks before deleting", "{webhook}", person="olga", step=settings.ask_to_delete_webhook
    ),
    PageState("Editor", "preview", "{article}/edit", person="anna", step=writing.show_preview),
    PageState("Editor", "model menu", "{article}/edit", person="anna", step=writing.open_model_menu),
    PageState("Editor", "proposal", "{article}/edit", person="anna", step=writing.show_proposal),
    PageState("Editor", "table", "{table}/edit", person="anna", step=writing.go_into_table),
    PageState("Editor", "new translation", "{new_translation}", person="anna"),
    PageState("Editor", "edit entry", "{entry}/edit", person="anna"),
    PageState("Palette", "open", "/app/nordwind/articles", person="anna", step=writing.open_palette),
    PageState("Palette", "keys", "/app/nordwind/articles", person="anna", step=writing.show_keys),
    PageState("No help center", "owner", "/app/", person="nobody"),
    PageState("Preview", "draft", "{preview}"),
    PageState("Widget", "closed", "{plain}", "host"),
    PageState("Widget", "open", "{plain}", "host", step=widget.open_panel),
    PageState("Widget", "working", "{plain}", "host", step=widget.ask_without_end),
    PageState("Widget", "answer", "{plain}", "host", step=widget.ask),
    PageState("Widget", "failure", "{plain}", "host", step=widget.ask_in_vain),
    PageState("Widget", "article", "{plain}", "host", step=widget.read_source),
    PageState("Widget", "person", "{plain}", "host", step=widget.write_to_a_person),
    PageState("Widget", "person told", "{plain}", "host", step=widget.send_to_a_person),
    PageState("Widget", "articles for what is typed", "{plain}", "host", step=widget.type_words),
    PageState(
        "Widget", "articles below an answer", "{plain}", "host", step=widget.type_words_after_an_answer
    ),
    PageState("Widget", "declined", "{plain}", "host", step=widget.ask_for_what_is_not_there),
    PageState("Widget", "not to be had", "{plain}", "host", step=widget.open_in_vain),
    PageState("Widget", "in the page", "{inline}", "host"),
    PageState("Widget", "in the page with an answer", "{inline}", "host", step=widget.ask),
    PageState("Widget", "right to left", "{arabic}", "host", step=widget.open_panel),
    PageState("Widget", "right to left with an answer", "{arabic}", "host", step=widget.ask),
    PageState("Widget", "right to left and an article", "{arabic}", "host", step=widget.read_source),
    PageState("Widget", "page of small letters", "{small}", "host", step=widget.ask),
    PageState("Error", "403", "/sign-in", step=send_form_without_cookies, status=403),
    PageState("Error", "404", "/help/nordwind/articles/nothing", status=404),
    PageState("Error", "405", "/sign-out", status=405),
    PageState("Error", "429", "/healthz", "limited", step=exceed_limit, status=429),
    PageState("Error", "503", "/", "broken", status=503),
    PageState("API reference", "whole", "/docs/api"),
    PageState("Parts", "all", "/app/_parts"),
    PageState("Parts", "review", "/app/_parts/review"),
)
