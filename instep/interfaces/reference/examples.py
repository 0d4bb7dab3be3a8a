"""Examples of request and response bodies, composed of the examples of their fields."""

from typing import Any

Json = dict[str, Any]

TIME = "2026-11-21T09:30:00.000Z"
ID_SUFFIX = "_01kbb6x4mwh2v7n8q9r0s1t2v3"
# A name means the same everywhere, so a field's name determines its example.
EXAMPLES_BY_NAME: Json = {
    "title": "Install the agent",
    "articleTitle": "Install the agent",
    "slug": "install-the-agent",
    "description": "How to install the agent on Linux and macOS.",
    "contentMarkdown": "Run `install.sh`, then open the dashboard.\n",
    "mergedMarkdown": None,
    "locale": "en",
    "icon": "🚀",
    "status": "published",
    "outdated": False,
    "hasUnpublishedChanges": False,
    "position": 0,
    "sortOrder": 0,
    "version": 3,
    "baseVersion": 3,
    "currentVersion": 3,
    "articleCount": 12,
    "url": "https://help.example.com/help/acme/articles/install-the-agent",
    "sourceUrl": "https://git.example.com/acme/agent/pull/417",
    "reason": "The pull request renames the setting.",
    "diff": "--- live\n+++ proposed\n@@ -1 +1 @@\n-Set `AGENT_PORT`.\n+Set `AGENT_HTTP_PORT`.\n",
    "additions": 1,
    "deletions": 1,
    "conflict": False,
    "name": "Acme",
    "question": "How do I install the agent on Windows?",
    "next_cursor": None,
    "has_more": False,
    "deleted": True,
    "collectionId": "col" + ID_SUFFIX,
    "parentId": None,
    "articleId": "art" + ID_SUFFIX,
    "revisionId": "rev" + ID_SUFFIX,
    "taskId": "task" + ID_SUFFIX,
    "draftId": "edit" + ID_SUFFIX,
    "botId": "6f1ed002-ab59-4d5c-9d5e-2f1b0c8a7e34",
    "translationOf": None,
}
ID_PREFIXES = {
    "Article": "art",
    "Translation": "art",
    "Draft": "edit",
    "TaskDraft": "edit",
    "Revision": "rev",
    "Collection": "col",
    "Redirect": "rdr",
    "ChangelogEntry": "chg",
    "Task": "task",
    "Webhook": "wh",
    "Unanswered": "q",
    "File": "file",
}


def example_of(schema: Json, document: Json, name: str = "", owner: str = "") -> Any:
    """A value that the schema allows; `name` is the field that holds it, `owner` the component around it."""
    if "$ref" in schema:
        component = schema["$ref"].rsplit("/", 1)[1]
        return example_of(document["components"]["schemas"][component], document, name, component)
    if "examples" in schema:
        return schema["examples"][0]
    if "properties" in schema:
        return {
            field: example_of(subschema, document, field, owner)
            for field, subschema in schema["properties"].items()
            if field in schema.get("required", ())
            or "examples" in subschema
            or has_named_example(field, subschema)
        }
    return scalar_example(schema, document, name, owner)


def scalar_example(schema: Json, document: Json, name: str, owner: str) -> Any:
    if name == "id":
        return id_of(owner)
    if has_named_example(name, schema):
        return EXAMPLES_BY_NAME[name]
    choices = schema.get("anyOf", schema.get("oneOf", ()))
    if "enum" in schema or "const" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    if choices:
        return example_of(choices[0], document, name, owner)
    return example_by_type(schema, document, name, owner)


def example_by_type(schema: Json, document: Json, name: str, owner: str) -> Any:
    kind = schema.get("type")
    if kind == "array":
        return [example_of(schema["items"], document, name, owner)]
    if kind == "string":
        return TIME if schema.get("format") == "date-time" else schema.get("default", "…")
    values: Json = {"integer": schema.get("minimum", 1), "number": 0.87, "boolean": True, "null": None}
    return values.get(str(kind), {})


def has_named_example(name: str, schema: Json) -> bool:
    """True if there is an example for the field's name that its schema allows."""
    if name not in EXAMPLES_BY_NAME or "const" in schema:
        return False
    example = EXAMPLES_BY_NAME[name]
    if example not in schema.get("enum", [example]):
        return False
    kinds = {schema.get("type"), *(choice.get("type") for choice in schema.get("anyOf", ()))}
    names = {str: "string", bool: "boolean", int: "integer", type(None): "null"}
    return names[type(example)] in kinds


def id_of(owner: str) -> str:
    prefix = next((prefix for start, prefix in ID_PREFIXES.items() if owner.startswith(start)), None)
    return prefix + ID_SUFFIX if prefix else EXAMPLES_BY_NAME["botId"]
