"""Links from responses to the operations that take their ids (OpenAPI 3.1, Link Object)."""

from typing import Any

Json = dict[str, Any]

BODY_ID = "$response.body#/id"
FIRST_RESULT_ID = "$response.body#/results/0/id"
PATH_ID = "$request.path.id"
# The targets of operations' responses: a path, and the parameters of the operations below it. An operation
# that creates a resource below its own path needs no entry.
TARGETS = {
    "propose_edit": ("/drafts/{id}", {"id": BODY_ID}),
    "list_revisions": (
        "/articles/{id}/revisions/{revisionId}",
        {"id": PATH_ID, "revisionId": FIRST_RESULT_ID},
    ),
    "list_deliveries": (
        "/webhooks/{id}/deliveries/{deliveryId}",
        {"id": PATH_ID, "deliveryId": FIRST_RESULT_ID},
    ),
    "add_comment": ("/comments/{id}/resolve", {"id": BODY_ID}),
    "list_drafts": ("/drafts/{id}", {"id": FIRST_RESULT_ID}),
    "list_places": ("/places/{id}", {"id": FIRST_RESULT_ID}),
    "list_unanswered": ("/insights/unanswered/{id}", {"id": FIRST_RESULT_ID}),
    "list_suppressed": ("/insights/suppressed/{id}", {"id": FIRST_RESULT_ID}),
    "delete_article": ("/articles/{id}/restore", {"id": BODY_ID}),
}


def add_links(paths: Json) -> None:
    """Add links to the responses of operations that create, list or delete resources."""
    for path, operations in paths.items():
        for operation in operations.values():
            status = next(iter(operation["responses"]))
            name = operation["operationId"]
            default = (f"{path}/{{id}}", {"id": BODY_ID}) if status in ("201", "202") else None
            target = TARGETS.get(name) or default
            if target:
                operation["responses"][status]["links"] = links_to(paths, *target)


def links_to(paths: Json, start: str, parameters: dict[str, str]) -> Json:
    names = [
        operation["operationId"]
        for path, operations in paths.items()
        if path == start or (path.startswith(f"{start}/") and path.count("{") == start.count("{"))
        for operation in operations.values()
    ]
    return {name: {"operationId": name, "parameters": parameters} for name in names}
