"""Other packages import a package through its public modules; all its other modules are free to change.

import-linter's `protected` contracts list private modules, so a new module would be public until someone adds
it. This table lists the public ones instead.
"""

import sys

from tests.support.source_code import Module, imports_of, product_modules, slice_of

# Packages below all slices: their modules are public, except those in CLOSED.
FLOORS = {"core", "email", "identity", "llm", "migrations", "text", "web"}
# Name prefixes of private modules, and the reasons.
CLOSED = {
    "instep.platform.core.embedded.": "the package itself gives what others use",
    "instep.platform.core.jobs.": "the package itself gives what others use",
    "instep.platform.core.outbound.happy_eyeballs": "it opens connections without asking what may be called",
    "instep.platform.core.outbound.lookup": "the client looks names up and vets the addresses",
    "instep.platform.core.outbound.streams": "the client hands them out",
    "instep.platform.llm.anthropic": "the factory chooses the provider",
    "instep.platform.llm.local_embedding": "the factory chooses the provider",
    "instep.platform.llm.openai": "the factory chooses the provider",
}
# Modules of a slice that every package above it may import.
SLICE_FACE = {"actions", "schemas"}
# The programs that assemble everything: `app`, `worker` and `runtime` at the top, and the MCP servers.
PROGRAMS = {"app", "mcp_servers", "runtime", "worker"}
PROGRAM_FACE = {"errors", "jobs", "pages", "rest", "tools"}
# Further public modules of each package.
FACES: dict[str, set[str]] = {
    "subscriptions": {"queries", "reader_letters"},
    "answers": {"ask", "golden", "inbox", "visitor_tokens"},
    "app": {""},
    "alerts": {"alert_addresses"},
    "backups": {"restoring", "snapshot"},
    "articles": {
        *(
            "body_schemas",
            "bulk",
            "due",
            "editing",
            "following",
            "live",
            "overviews",
            "paths",
            "revision_schemas",
            "splitting",
            "texts",
            "writer_queries",
        ),
    },
    "collections": {"visibility"},
    "ci": {
        "backfill",
        "checkout",
        "code_around",
        "linked_issues",
        "options",
        "next_version",
        "git",
        "client",
        "command",
        "comment",
        "environment",
        "escaping",
        "folder_sync",
        "printing",
        "report",
        "retries",
        "credentials",
        "diff",
        "shapes",
        "shipped",
    },
    "comments": {"another_wording"},
    "demo": {"command"},
    "drift": {"article_code", "command", "evidence"},
    "drafts": {
        "replacing",
        "translated_versions",
        *(
            "assigning",
            "assignment",
            "assignment_rules",
            "overdue",
            "releasing",
            "reopening",
            "source_queue",
            "suppression",
            "viewing",
            "withdrawal",
            "renewing",
            "waiting",
        ),
        *("proposals", "queue_schemas", "release_schemas", "suppressed_schemas"),
        *("changing", "version_queries", "versions"),
        *("conflicts", "digest", "email_digest", "pending", "previews", "queue_pages"),
    },
    "exports": {"archive", "file_contents", "layout", "page_file", "queries", "relative_links"},
    "files": {"kinds", "picture_sizes", "storage"},
    "git_sync": {"branch_edits"},
    "insights": {
        *("feedback.actions", "visits.actions", "visits.counter", "visits.schemas"),
        "health.checks_text",
        "health.problems",
        "health.structure",
        "question_key",
        "questions.question_key",
    },
    "imports": {
        *(
            "fetchers.products",
            "html.convert",
            "openapi.operation_settings",
            "plan.ordering",
            "plan.source_planning",
            "report_forms",
        ),
        *("source.download", "source.formats", "source.source_reading", "tree.schemas", "write.running"),
    },
    "language_model": {"choosing"},
    "linting": {"command"},
    "mcp_servers": {"discovery", "servers"},
    "ops": {"doctor", "exposition", "health", "prune", "rotation", "routes", "thin_client", "traces"},
    "parts": {"expansion", "readers_texts"},
    "people": {
        "attempts",
        "challenges",
        "cookies",
        "first_person",
        "forgotten",
        "invitations",
        "new_address",
        "own_account",
        "passwords",
        "passkeys",
        "second_factors",
        "second_step",
    },
    "places": {"storing"},
    "privacy": {"erasure_marks", "visitor_data"},
    "redirects": {"path_patterns"},
    "repositories": {"app_actions", "drift_jobs", "host_people", "pull_reviews"},
    "review": {"", "command", "release", "translating"},
    "runtime": {""},
    "site": {"error_pages", "kept_pages", "public_routes", "versioned_addresses"},
    "search": {
        "query.frequencies",
        *(
            "article_outline",
            "article_selection",
            "index.cache",
            "excerpts",
            "passage_kinds",
            "question_kinds",
            "retrieve",
        ),
        *("index.shared_files", "semantic.query_embedder", "shared_indexes"),
    },
    "style": {"files", "prompting", "starters", "style_checks", "text_checks", "vale"},
    "tasks": {"checks", "part_places", "rewording_reasons"},
    "translations": {"missing_jobs", "missing_translations"},
    "trusts": {"id_tokens", "queries"},
    "webhooks": {"emit", "listen", "sender"},
    "worker": {""},
    "workspaces": {"backup_state", "deletion", "domain_claims", "queries", "site_frame"},
    "writer": {
        *("", "diffs.parser", "diffs.patch", "llm.model_step", "llm.rewording"),
        *("drift.drift_reports", "drift.past_changes", "drift.stated_names"),
        *("new_articles.outline", "new_articles.outline_sources", "retrieval"),
        *("shapes", "translating.root_changes", "translating.text_blocks", "translating.translation_step"),
    },
}
# Accepted imports of private modules: the importer, the imported name, and the reason.
EXCEPTIONS: dict[tuple[str, str], str] = {
    (
        "instep.cli.alerts",
        "instep.notifications.alerts.queries",
    ): "the command lists rows and changes nothing",
    (
        "instep.transfer.exports.queries",
        "instep.content.files.queries",
    ): "an export reads the rows of files as they are stored",
    (
        "instep.visitors.insights.jobs",
        "instep.drafting.tasks.jobs",
    ): "a draft for a gap is written as a task writes one",
    (
        "instep.visitors.insights.jobs",
        "instep.drafting.tasks.sources",
    ): "a draft for a gap is written as a task writes one",
    (
        "instep.operations.ops.doctor",
        "instep.search.semantic.vectors",
    ): "it reports how far the embeddings are behind",
    ("instep.search.queries", "instep.content.articles.queries"): "a hit has the columns of an article",
}


def test_packages_import_each_other_by_their_faces() -> None:
    names = {module.name for module in product_modules()}
    places = {
        f"{module.at(line)} {target}"
        for module in product_modules()
        for line, source, name in imports_of(module)
        for target in [f"{source}.{name}" if f"{source}.{name}" in names else source]
        if not is_open(target, module) and (module.name, target) not in EXCEPTIONS
    }

    assert not places, "\n".join(sorted(places))


def test_every_exception_is_still_needed() -> None:
    imports = {
        (module.name, imported)
        for module in product_modules()
        for _, source, name in imports_of(module)
        for imported in (source, f"{source}.{name}")
    }

    assert EXCEPTIONS.keys() <= imports


def is_open(target: str, importer: Module) -> bool:
    package, module = slice_of(target)
    if not target.startswith("instep.") or package == importer.package:
        return True
    if package in FLOORS:
        return not target.startswith(tuple(CLOSED))
    faces = SLICE_FACE | FACES.get(package, set())
    if importer.package in PROGRAMS:
        faces |= PROGRAM_FACE
    return module in faces


def test_the_client_imports_the_standard_library_alone() -> None:
    """It may also import the platform modules in its archive, which another test runs without the rest."""
    sources = {
        source
        for module in product_modules()
        if module.name.startswith("instep.client")
        for _, source, _ in imports_of(module)
        if source.partition(".")[0] not in {*sys.stdlib_module_names, "instep"}
    }

    assert sources == set()
