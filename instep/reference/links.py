"""Links of the document: where what an answer holds leads on to (OpenAPI 3.1, Link Object)."""

from typing import Any

Json = dict[str, Any]

CREATED = "$response.body#/id"
FIRST = "$response.body#/results/0/id"
ITSELF = "$request.path.id"
# The operations whose answer holds an id that addresses below their own path don't tell of.
ELSEWHERE = {"propose_edit": ("/drafts/{id}", {"id": CREATED})}
NESTED = {
    "list_revisions": ("/articles/{id}/revisions/{revisionId}", {"id": ITSELF, "revisionId": FIRST}),
    "list_deliveries": ("/webhooks/{id}/deliveries/{deliveryId}", {"id": ITSELF, "deliveryId": FIRST}),
    "list_drafts": ("/drafts/{id}", {"id": FIRST}),
    "list_unanswered": ("/insights/unanswered/{id}", {"id": FIRST}),
    "delete_article": ("/articles/{id}/restore", {"id": CREATED}),
}


def add_links(paths: Json) -> None:
    """Tell which operations take what an operation has made or found."""
    for path, operations in paths.items():
        for operation in operations.values():
            status = next(iter(operation["responses"]))
            name = operation["operationId"]
            below = (f"{path}/{{id}}", {"id": CREATED}) if status in ("201", "202") else None
            target = ELSEWHERE.get(name) or NESTED.get(name) or below
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
