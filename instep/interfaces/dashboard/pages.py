"""The routes of the dashboard."""

from starlette.routing import Route

from instep.interfaces.dashboard import development, finding
from instep.interfaces.dashboard.account import (
    address_pages,
    email_links,
    factor_pages,
    joining,
    own_pages,
    own_passkeys,
    verifying,
)
from instep.interfaces.dashboard.bot_pages import show_home
from instep.interfaces.dashboard.content import (
    article_history,
    article_list,
    article_page,
    bulk_pages,
    changelog_pages,
    collection_pages,
    coverage_page,
    part_pages,
    replace_pages,
    translate_page,
)
from instep.interfaces.dashboard.review import (
    comment_pages,
    decisions,
    draft_pages,
    inbox_pages,
    place_pages,
    presence,
    source_page,
    style_notes,
    version_pages,
    wording_pages,
)
from instep.interfaces.dashboard.running import (
    conversation_pages,
    drift_pages,
    file_pages,
    health_pages,
    import_pages,
    question_pages,
    task_pages,
    visit_pages,
)
from instep.interfaces.dashboard.settings import (
    alert_pages,
    app_pages,
    appearance,
    audit_pages,
    email_pages,
    export_pages,
    general,
    github_pages,
    key_pages,
    model_pages,
    people_pages,
    product_version_pages,
    redirect_pages,
    repository_pages,
    review_pages,
    style_pages,
    suppressed_pages,
    synonym_pages,
    trust_pages,
    webhook_pages,
)
from instep.interfaces.dashboard.setup import first_bot, first_run, get_started
from instep.interfaces.dashboard.writing import article_editor, editor_parts, entry_editor, word_proposals

PERSON_MODULES = (
    *(development, first_run, first_bot),
    *(address_pages, email_links, factor_pages, joining, own_pages, own_passkeys, verifying),
)
BOT_MODULES = (
    *(finding, get_started),
    *(draft_pages, decisions, style_notes, place_pages, presence, source_page, version_pages),
    *(comment_pages, wording_pages, inbox_pages),
    *(article_editor, entry_editor, editor_parts, word_proposals),
    *(article_list, article_page, article_history, bulk_pages, replace_pages),
    *(coverage_page, translate_page, collection_pages, part_pages, changelog_pages),
    *(task_pages, question_pages, conversation_pages, health_pages, drift_pages, file_pages, import_pages),
    visit_pages,
    *(general, appearance, key_pages, trust_pages, webhook_pages, alert_pages, app_pages, people_pages),
    *(model_pages, email_pages, github_pages, repository_pages, review_pages),
    product_version_pages,
    *(redirect_pages, style_pages, synonym_pages, suppressed_pages, audit_pages, export_pages),
)
# "{" sorts after all letters, so a fixed name is tried before an id in its place.
routes = sorted(
    [
        Route("/app", show_home),
        Route("/app/", show_home),
        *(route for module in PERSON_MODULES for route in module.routes),
        *(route for module in BOT_MODULES for route in module.router.routes),
    ],
    key=lambda route: route.path,
)
