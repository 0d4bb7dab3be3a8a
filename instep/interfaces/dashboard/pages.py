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
from instep.interfaces.dashboard.content import pages as content
from instep.interfaces.dashboard.review import comment_pages, inbox_pages, review_routes, wording_pages
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

MODULES = (
    *(development, finding, first_run, first_bot, get_started),
    *(address_pages, email_links, factor_pages, joining, own_pages, own_passkeys, verifying),
    *(review_routes, comment_pages, wording_pages, inbox_pages),
    *(article_editor, entry_editor, editor_parts, word_proposals, content),
    *(task_pages, question_pages, conversation_pages, health_pages, drift_pages, file_pages, import_pages),
    visit_pages,
    *(general, appearance, key_pages, trust_pages, webhook_pages, alert_pages, app_pages, people_pages),
    *(model_pages, email_pages, github_pages, repository_pages, review_pages),
    product_version_pages,
    *(redirect_pages, style_pages, synonym_pages, suppressed_pages, audit_pages, export_pages),
)
routes = [
    Route("/app", show_home),
    Route("/app/", show_home),
    *(route for module in MODULES for route in module.routes),
]
