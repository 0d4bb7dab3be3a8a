"""Have a server deliver to the receivers of `docs/webhooks.md`, and run the document's commands."""

import os
import re
import signal
import subprocess

import httpx2

from tests.other_tools.deliveries import DELIVERY_SECONDS, call, create_endpoint
from tests.other_tools.programs import FOLDER, Program
from tests.support.installation import COMMAND, Installation, free_port
from tests.support.webhook_snippets import blocks


def check_receiver(program: Program, installation: Installation, client: httpx2.Client) -> None:
    """The receiver accepts a delivery, recognizes a repetition, and refuses an unsigned one."""
    port = free_port()
    webhook = create_endpoint(client, f"http://127.0.0.1:{port}/")
    path = f"/v1/webhooks/{webhook['id']}"
    with subprocess.Popen(
        program.command("receiver"),
        cwd=program.folder,
        env=os.environ | {"PORT": str(port), "INSTEP_WEBHOOK_SECRET": webhook["secret"]},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as receiver:
        try:
            installation.until(lambda: unsigned_status(port) == 400, DELIVERY_SECONDS)
            delivery = call(client, f"{path}/test")
            installation.until(lambda: attempt_statuses(client, path) == [204], DELIVERY_SECONDS)
            call(client, f"{path}/deliveries/{delivery['id']}/redeliver")
            installation.until(lambda: attempt_statuses(client, path) == [204, 204], DELIVERY_SECONDS)
        finally:
            call(client, path, {"status": "disabled"}, "PATCH")
            receiver.kill()
        output = receiver.communicate()[0]
    assert output == "webhook.test new\nwebhook.test seen\n", output


def unsigned_status(port: int) -> int | None:
    """The receiver's status for an unsigned delivery; None before it listens."""
    try:
        return httpx2.post(f"http://127.0.0.1:{port}/", content=b"{}").status_code
    except httpx2.TransportError:
        return None


def attempt_statuses(client: httpx2.Client, path: str) -> list[int]:
    [delivery] = call(client, f"{path}/deliveries", method="GET")["results"]
    return [attempt["httpStatus"] for attempt in delivery["attempts"]]


def check_commands(installation: Installation, client: httpx2.Client) -> None:
    """The document's commands, on a free port, print the line that the document shows."""
    port = str(free_port())
    [listen] = [code for code in blocks("sh") if "instep webhooks listen" in code]
    [publish] = [code for code in blocks("sh") if "/invite-colleagues/publish" in code]
    [line] = [code for code in blocks("text") if code.startswith("article.published")]
    environment = os.environ | {
        "INSTEP_URL": installation.url,
        "INSTEP_API_KEY": client.headers["authorization"].removeprefix("Bearer "),
        "PATH": f"{COMMAND.parent}:{os.environ['PATH']}",
    }
    stdout, stderr = FOLDER / "stdout", FOLDER / "stderr"
    stdout.write_text("")
    stderr.write_text("")
    listen = listen.replace("4242", port)
    listen = listen.replace("listen &", f"listen --port {port} >stdout 2>stderr &")
    with subprocess.Popen(
        ["bash"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env=environment,
        cwd=FOLDER,
        text=True,
        start_new_session=True,
    ) as shell:
        try:
            type_commands(shell, listen)
            installation.until(lambda: "Listening" in stderr.read_text(), DELIVERY_SECONDS)
            type_commands(shell, publish)
            installation.until(lambda: stdout.read_text().endswith("\n"), DELIVERY_SECONDS)
        finally:
            os.killpg(shell.pid, signal.SIGKILL)
    assert re.fullmatch(re.escape(line).replace("…", r"\w+"), stdout.read_text()), stdout.read_text()


def type_commands(shell: subprocess.Popen[str], commands: str) -> None:
    assert shell.stdin is not None
    shell.stdin.write(commands)
    shell.stdin.flush()
