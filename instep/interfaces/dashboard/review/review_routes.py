"""The routes of the review."""

from starlette.routing import Route

from instep.interfaces.dashboard.review import (
    decisions,
    draft_pages,
    place_pages,
    presence,
    source_page,
    style_notes,
    version_pages,
)

QUEUE = "/app/{bot_slug}/review"
DRAFT = f"{QUEUE}/{{draft_id}}"
# The actions on a place, whose page is in the queue.
PLACE = "/app/{bot_slug}/places/{draft_id}"

routes = [
    Route(QUEUE, draft_pages.show_queue),
    Route(DRAFT, draft_pages.show_draft),
    Route(f"{DRAFT}/diff", draft_pages.show_diff),
    Route(f"{DRAFT}/edit", draft_pages.show_editing, methods=["GET"]),
    Route(f"{DRAFT}/edit", decisions.send_edit, methods=["POST"]),
    Route(f"{DRAFT}/apply", decisions.send_apply, methods=["POST"]),
    Route(f"{DRAFT}/dismiss", decisions.send_dismiss, methods=["POST"]),
    Route(f"{DRAFT}/reopen", decisions.send_reopen, methods=["POST"]),
    Route(f"{DRAFT}/resolve", decisions.send_resolution, methods=["POST"]),
    Route(f"{DRAFT}/propose", decisions.send_proposal, methods=["POST"]),
    Route(f"{DRAFT}/style", style_notes.send_style_fixes, methods=["POST"]),
    Route(f"{DRAFT}/assign", place_pages.send_assignment, methods=["POST"]),
    Route(f"{DRAFT}/presence", presence.send_presence, methods=["POST"]),
    Route(f"{DRAFT}/preview", source_page.send_preview, methods=["POST"]),
    Route(f"{DRAFT}/revoke-preview", source_page.send_revocation, methods=["POST"]),
    Route(f"{DRAFT}/source", source_page.show_source),
    Route(f"{DRAFT}/apply-certain", source_page.send_apply_certain, methods=["POST"]),
    Route(f"{DRAFT}/approve-all", source_page.send_approve_all, methods=["POST"]),
    Route(f"{DRAFT}/versions", version_pages.show_draft_versions, methods=["GET"]),
    Route(f"{DRAFT}/versions", version_pages.send_restored_version, methods=["POST"]),
    Route(f"{PLACE}/resolve", place_pages.send_resolve, methods=["POST"]),
    Route(f"{PLACE}/dismiss", place_pages.send_dismiss_place, methods=["POST"]),
    Route(f"{PLACE}/reopen", place_pages.send_reopen_place, methods=["POST"]),
    Route(f"{PLACE}/assign", place_pages.send_assignment, methods=["POST"]),
]
