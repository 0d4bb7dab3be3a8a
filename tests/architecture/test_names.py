"""A name has one meaning in the whole package, and it says what the thing is."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from instep.platform.core import limits
from tests.support.source_code import REPOSITORY, Module, imports_of, modules_below, product_modules

# A participle says what happened to a thing, not what the thing is.
PARTICIPLES = {
    *("asked", "found", "gone", "held", "kept", "known", "made", "near"),
    *("one", "own", "said", "shown", "told", "wanted"),
}
# The name of a test begins with its subject.
HEADLESS = re.compile(
    r"^\s*(?:async )?def test_(?:what|who|whose|nobody|where|how|of|it|its|they|their)_", re.MULTILINE
)
# Module names that every slice, program or family of errors uses: the folder tells them apart.
SLICE_MODULES = {"actions", "jobs", "pages", "queries", "rest", "schemas", "tools"}
PROGRAM_MODULES = {"command", "report", "shapes"}
COMMON_MODULES = SLICE_MODULES | PROGRAM_MODULES | {"client", "errors", "events"}
# A command-line module is named after the area of its commands.
COMMANDS = "instep.cli."

PROVIDERS = {"instep.platform.llm.anthropic", "instep.platform.llm.openai"}
# Deliberately repeated class names: the modules that define them, and why the meaning is the same.
SAME_CLASSES: dict[str, tuple[set[str], str]] = {
    "Bot": (
        {"instep.client.ci.shapes", "instep.platform.identity.schemas"},
        "the client's view of the resource",
    ),
    "Draft": (
        {"instep.client.ci.shapes", "instep.drafting.drafts.schemas"},
        "the client's view of the resource",
    ),
    "Evidence": (
        {"instep.client.ci.shapes", "instep.drafting.writer.shapes"},
        "the client's view of what the writer gives",
    ),
    "Place": (
        {"instep.client.ci.shapes", "instep.drafting.places.schemas", "instep.drafting.writer.shapes"},
        "a place stores what the writer gives, and the client has its view of it",
    ),
    "Statement": (
        {"instep.drafting.drafts.proposals", "instep.drafting.writer.shapes"},
        "a draft stores what the writer gives",
    ),
    "Task": (
        {"instep.client.ci.shapes", "instep.drafting.tasks.schemas"},
        "the client's view of the resource",
    ),
    "Article": (
        {"instep.content.articles.schemas", "instep.drafting.writer.shapes"},
        "the writer is pure and reads less of an article",
    ),
    "Message": (PROVIDERS, "the shape that each provider gives to a message"),
    "Usage": (PROVIDERS, "the shape that each provider gives to the tokens used"),
}
# Deliberately repeated module names.
SAME_MODULES: dict[str, tuple[set[str], str]] = {
    "budget": (
        {"instep.platform.llm.budget", "instep.platform.web.mcp.budget"},
        "how much of something a call may use",
    ),
    "diff": (
        {"instep.client.ci.diff", "instep.platform.core.diff", "instep.platform.text.diff"},
        "a unified diff",
    ),
    "passages": (
        {"instep.search.index.passages", "instep.drafting.writer.articles.passages"},
        "parts of an article",
    ),
    "prompts": (
        {"instep.platform.web.mcp.prompts", "instep.drafting.writer.llm.prompts"},
        "texts that a model is given",
    ),
    "protocol": ({"instep.platform.llm.protocol", "instep.platform.web.protocol"}, "what two sides agree on"),
    "queue": (
        {"instep.platform.core.jobs.queue", "instep.client.review.queue"},
        "what waits to be worked on",
    ),
    "worker": ({"instep.platform.core.jobs.worker", "instep.worker"}, "the program runs the class"),
}
# Deliberately repeated names of functions that other modules import by name.
SAME_FUNCTIONS: dict[str, tuple[set[str], str]] = {
    "alert": (
        {"instep.notifications.alerts.actions", "instep.transfer.imports.markdown.callouts"},
        "GitHub calls a callout so",
    ),
    "as_json": ({"instep.client.ci.report", "instep.platform.web.api"}, "something in that form"),
    "as_text": (
        {"instep.client.ci.report", "instep.operations.ops.doctor", "instep.client.review.report"},
        "a report in that form",
    ),
    "migrate": ({"instep.cli.installation", "instep.platform.migrations"}, "the command calls the function"),
    "new_token": (
        {"instep.platform.identity.access_tokens", "instep.platform.identity.sessions"},
        "a secret for a caller",
    ),
    "read_page": (
        {"instep.demo.help", "instep.transfer.imports.markdown.source_pages"},
        "a file becomes a page",
    ),
    "say": ({"instep.client.ci.printing", "instep.cli.output"}, "print a sentence at a terminal"),
    "is_page": (
        {"instep.client.ci.folder", "instep.transfer.imports.tree.file_names"},
        "whether a file is a page",
    ),
    "locale_of_name": (
        {"instep.transfer.exports.file_contents", "instep.transfer.imports.tree.folders"},
        "the language that the name of a file tells",
    ),
    "manifest": (
        {"instep.transfer.exports.file_contents", "instep.platform.web.assets"},
        "what a set of files holds",
    ),
    "open_archive": (
        {"instep.operations.backups.backup_file", "instep.transfer.imports.source.source_files"},
        "a zip, checked before it is read",
    ),
    "open_folder": (
        {
            "instep.operations.backups.destinations",
            "instep.client.ci.folder",
            "instep.transfer.imports.source.source_files",
        },
        "a folder of files",
    ),
    "parse_page": (
        {"instep.transfer.git_sync.pages", "instep.transfer.imports.products.html_texts"},
        "a text becomes a page",
    ),
    "path_of": (
        {"instep.content.files.storage", "instep.transfer.imports.tree.url_parts"},
        "where something is",
    ),
    "read_json": (
        {"instep.transfer.imports.markdown.fields", "instep.transfer.imports.products.json_files"},
        "JSON of a source, or what is wrong",
    ),
}


def test_a_class_name_is_defined_once() -> None:
    classes = (
        (node.name, module.name)
        for module in product_modules()
        for node in module.tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )

    meanings = homonyms(classes, SAME_CLASSES)
    assert not meanings, "\n".join(meanings)


def test_a_module_name_is_given_once() -> None:
    names = (
        (module.name.rpartition(".")[2], module.name)
        for module in product_modules()
        if not module.file.endswith("__init__.py") and not module.name.startswith(COMMANDS)
    )

    meanings = homonyms(((n, m) for n, m in names if n not in COMMON_MODULES), SAME_MODULES)
    assert not meanings, "\n".join(meanings)


def test_a_function_that_is_imported_by_its_name_is_defined_once() -> None:
    """`queries.find` says what it finds; an imported `find` on its own would not."""
    functions = {
        (module.name, node.name)
        for module in product_modules()
        for node in module.tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    imports = {(source, name) for module in product_modules() for _, source, name in imports_of(module)}
    public = ((name, module) for module, name in functions & imports)

    meanings = homonyms(public, SAME_FUNCTIONS)
    assert not meanings, "\n".join(meanings)


def test_no_participle_is_the_name_of_a_thing() -> None:
    places = [
        f"{module.at(line)} {name}"
        for module in product_modules()
        for line, name in bound_names(module)
        if name in PARTICIPLES
    ]

    assert not places, "\n".join(places)


def test_names_of_tests_begin_with_their_subject() -> None:
    modules = modules_below(REPOSITORY / "tests")
    names = [
        f"{module.file} {match[0].strip()}…" for module in modules for match in HEADLESS.finditer(module.text)
    ]

    assert not names, "\n".join(names)


def test_every_limit_tells_its_unit() -> None:
    modules = [module for module in product_modules() if module.name.startswith(f"{limits.__name__}.")]
    assert modules

    names = [
        name for module in modules for name, comment in constants(module) if not tells_unit(name, comment)
    ]
    assert not names, "\n".join(names)


def homonyms(definitions: Iterable[tuple[str, str]], same: dict[str, tuple[set[str], str]]) -> list[str]:
    """Each name with several definitions and their modules, except where the meaning is the same."""
    modules: defaultdict[str, set[str]] = defaultdict(set)
    for name, module in definitions:
        modules[name].add(module)
    return [
        f"{name}: {', '.join(sorted(defined))}"
        for name, defined in sorted(modules.items())
        if len(defined) > 1 and not defined <= same.get(name, (set(), ""))[0]
    ]


def bound_names(module: Module) -> Iterator[tuple[int, str]]:
    """The line and name of each variable, attribute, parameter and function."""
    for node in module.nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name
            case ast.arg(arg=name):
                yield node.lineno, name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield node.lineno, name
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                yield node.lineno, name


# The unit of a count is the plural noun in its name, as in `MAX_BOTS_NAMED`.
UNITS_IN_NAMES = {"AGE", "AFTER", "DELAY", "RETENTION", "TTL", "WINDOW"}
UNITS_IN_COMMENTS = {
    "bytes",
    "characters",
    "days",
    "entries",
    "hours",
    "minutes",
    "percent",
    "rows",
    "seconds",
}
UNITS_IN_COMMENTS |= {"tokens", "words"}
# The unit of a share or score is its range.
RANGES = ("from 0 to", "between 0 and", "0 to 1", "0 to 4")


def constants(module: Module) -> Iterator[tuple[str, str]]:
    """Each constant with the comment above it or above its group."""
    lines = module.text.splitlines()
    comment = ""
    for node in module.tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], lineno=line):
                comment = comment_above(lines, line) or comment
                if not lines[line - 2].strip():
                    comment = ""
                yield name, comment


def comment_above(lines: list[str], line: int) -> str:
    """The comment directly above a line, as one lowercase text."""
    first = line - 1
    while lines[first - 1].startswith("#"):
        first -= 1
    return " ".join(text.lstrip("# ") for text in lines[first : line - 1]).lower()


def tells_unit(name: str, comment: str) -> bool:
    """True if the name or the comment states the unit; `timedelta` names do by their ending."""
    parts = name.split("_")
    is_count = any(part.endswith("S") and not part.endswith("SS") for part in parts)
    words = set(comment.replace(",", " ").replace(".", " ").split())
    return (
        is_count
        or not UNITS_IN_NAMES.isdisjoint(parts)
        or not UNITS_IN_COMMENTS.isdisjoint(words)
        or any(phrase in comment for phrase in RANGES)
    )
