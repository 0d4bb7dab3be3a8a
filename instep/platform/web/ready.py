"""The line with a server's URL, printed once it answers."""

import socket
import sys
import time
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException
from threading import Thread

import structlog

from instep.platform.web.listening import OPENABLE

log = structlog.get_logger()

POLL_SECONDS = 0.1


def when_ready(listener: socket.socket, announce: Callable[[str], None]) -> None:
    """Call `announce` in a thread with the path that the server's root redirects to, once it answers.

    The server is called over HTTP, so that this works for one process and for several.
    """
    host, port = listener.getsockname()[:2]

    def poll() -> None:
        announce(path_of_root(OPENABLE.get(host, host), port))

    Thread(target=poll, name="ready", daemon=True).start()


def path_of_root(host: str, port: int) -> str:
    while True:
        connection = HTTPConnection(host, port)
        try:
            connection.request("GET", "/")
            return connection.getresponse().headers.get("Location", "/")
        except (OSError, HTTPException):
            # A server process has died during its start; the next one answers.
            time.sleep(POLL_SECONDS)
        finally:
            connection.close()


def announcer(site_url: str, local_url: str, setup_path: str | None) -> Callable[[str], None]:
    """A function that reports the URLs: in a sentence on a terminal, otherwise in a log line.

    `setup_path` is that of the one-time link that sets up an installation without people.
    """

    def announce(path: str) -> None:
        help_center, reference = f"{site_url}{path}", f"{site_url}/docs/api"
        if not sys.stderr.isatty():
            addresses = {"url": site_url, "help_center": help_center, "api_reference": reference}
            if setup_path is not None:
                addresses["set_up"] = f"{site_url}{setup_path}"
            log.info("Instep is ready", **addresses, listening=local_url)
            return
        listening = "" if site_url == local_url else f", listening on {local_url}"
        sys.stderr.write(
            f"Instep is ready: {site_url}{listening} (help center {help_center}, API reference {reference})\n"
        )
        if setup_path is not None:
            sys.stderr.write(
                f"Nobody can sign in yet. Set Instep up here, once, within a day:\n\n"
                f"  {site_url}{setup_path}\n\n"
            )
        sys.stderr.flush()

    return announce
