"""The command `instep demo`."""

import asyncio
import os
import shutil
import socket
import sys
import tempfile
from functools import partial
from pathlib import Path
from shlex import quote

from instep.app import create_app
from instep.demo.story import CHANGE, NEW_NAME, Review, Stage, set_stage
from instep.platform.core.config import settings
from instep.platform.core.postgres import running_postgres
from instep.platform.core.progress import tell
from instep.platform.core.signals import exit_cleanly_on_signals
from instep.platform.migrations import migrate
from instep.platform.web.listening import CanNotListen, listen, listen_on, local_origin
from instep.platform.web.ready import when_ready
from instep.platform.web.serving import run_server

HOST = "127.0.0.1"
PORT = 8_000
PRETTY = "| python3 -m json.tool"


def run_demo(port: int | None) -> None:
    """Serve the demo from a temporary data folder, which is deleted at the end."""
    exit_cleanly_on_signals()
    sockets = listen(HOST, port) if port is not None else listen_anywhere()
    with tempfile.TemporaryDirectory(prefix="instep-demo-") as folder:
        Path(folder).chmod(0o711)
        serve_from(Path(folder), sockets)


def serve_from(folder: Path, sockets: list[socket.socket]) -> None:
    site_url = local_origin(HOST, sockets[0].getsockname()[1])
    os.environ.pop("INSTEP_DATABASE_URL", None)
    os.environ |= {"INSTEP_DATA_DIR": str(folder), "INSTEP_SITE_URL": site_url}
    settings.cache_clear()
    with running_postgres(settings()) as postgres:
        migrate(postgres.url)
        tell("Loading the help center and documenting a change …")
        stage = asyncio.run(set_stage(postgres.url))
        when_ready(sockets[0], lambda _: announce(stage))
        # Lines about requests would scroll the announcement off the screen.
        run_server(partial(create_app, logs_requests=False), sockets)


def announce(stage: Stage) -> None:
    sys.stdout.write(announcement(stage))
    sys.stdout.flush()


def announcement(stage: Stage) -> str:
    site, key = settings().base_url, f"-H 'Authorization: Bearer {stage.key}'"
    return "\n".join(
        [
            "",
            f"A change to Instep's code has arrived: “{CHANGE.title}”.",
            f"It makes {len(stage.reviews)} of the articles wrong. Review the edits in your browser:",
            "",
            f"  {site}{stage.sign_in_path}",
            "",
            "The link signs you in and works once.",
            "",
            f"Instep serves its own help center with {stage.articles} articles.",
            "Press Ctrl-C to stop it and delete its data.",
            "",
            f"  help center      {site}/help/{stage.bot.slug}/",
            f"  management API   {site}/v1  (described at {site}/v1/openapi.json)",
            f"  sign-in          {site}/sign-in  with {stage.email} and {stage.password}",
            f"  API key          {stage.key}",
            f"  bot id           {stage.bot.id}",
            f"  bot key          {stage.bot.bot_key}",
            "",
            "Or review in this terminal. Paste these lines one by one:",
            "",
            f"export INSTEP_URL={site} INSTEP_API_KEY={stage.key}",
            "# The review queue",
            f"{own_command()} draft list",
            "# The API has it too: the queue, and a draft with its diff and evidence",
            f"curl -s {site}/v1/drafts {key} {PRETTY}",
            *(f"curl -s {site}/v1/drafts/{review.draft.id} {key} {PRETTY}" for review in stage.reviews[:1]),
            *(line for review in stage.reviews for line in review_lines(review)),
            "",
        ]
    )


def review_lines(review: Review) -> list[str]:
    draft = f"{own_command()} draft"
    return [
        f"# “{review.draft.article_title}”: the diff, and the lines of the code change behind it",
        f"{draft} show {review.draft.id}",
        "# Apply it: the public page has the new text at once",
        f"{draft} apply {review.draft.id}",
        f"curl -s {review.url}.md | grep {NEW_NAME}",
    ]


def own_command() -> str:
    """The shell command for this program: its name, or its path if the name runs another program."""
    path = Path(sys.executable).with_name("instep")
    on_path = shutil.which("instep")
    return "instep" if on_path is not None and Path(on_path).resolve() == path.resolve() else quote(str(path))


def listen_anywhere() -> list[socket.socket]:
    """Listen on port 8000, or on any free port if that is in use."""
    try:
        return listen(HOST, PORT)
    except CanNotListen:
        return [listen_on(socket.AF_INET, (HOST, 0))]
