"""A running Chromium that tests talk to: they resize it, press keys and ask pages (DevTools Protocol)."""

import base64
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from tests.browser.chromium import FLAGS, SCHEMES

ANSWER_SECONDS = 30
KEY_CODES = {"Tab": 9, "ArrowRight": 39, "ArrowLeft": 37}
# The browser reads commands from file descriptor 3 and answers on 4.
LAUNCH = """
import fcntl, os, sys
apart = [fcntl.fcntl(int(number), fcntl.F_DUPFD, 10) for number in sys.argv[1:3]]
for number, descriptor in zip((3, 4), apart):
    os.dup2(descriptor, number)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Page:
    """The one page of a browser; commands go through a pipe, so that no port is open."""

    def __init__(self, reading: int, writing: int) -> None:
        self.reading = reading
        self.writing = writing
        self.numbers = count(1)
        self.unread = b""
        self.session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.send("Page.enable")

    def open(self, url: str) -> None:
        """Go to a page and wait until it has loaded."""
        self.events.clear()
        self.send("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")

    def resize(self, width: int, height: int = 800) -> None:
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def sign_in(self, url: str, name: str, value: str) -> None:
        """Keep a cookie for the site at this address."""
        self.send("Network.setCookie", url=url, name=name, value=value)

    def evaluate(self, script: str) -> Any:
        """The value of a script in the page; the page's security policy does not bind it."""
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            self.send(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=KEY_CODES[key],
            )

    def picture(self, file: Path) -> None:
        """Save what the window shows as a PNG."""
        file.write_bytes(base64.b64decode(self.send("Page.captureScreenshot")["data"]))

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": params}
        if self.session is not None:
            message["sessionId"] = self.session
        os.write(self.writing, json.dumps(message).encode() + b"\0")
        while (answer := self.read()).get("id") != number:
            self.events.append(answer)
        assert "error" not in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def wait_for(self, event: str) -> None:
        while not any(message.get("method") == event for message in self.events):
            self.events.append(self.read())

    def read(self) -> dict[str, Any]:
        """The next message of the browser."""
        deadline = time.monotonic() + ANSWER_SECONDS
        while b"\0" not in self.unread:
            ready, _, _ = select.select([self.reading], [], [], max(0, deadline - time.monotonic()))
            assert ready, f"the browser said nothing for {ANSWER_SECONDS} seconds"
            piece = os.read(self.reading, 1 << 16)
            assert piece, "the browser has ended"
            self.unread += piece
        message, _, self.unread = self.unread.partition(b"\0")
        read: dict[str, Any] = json.loads(message)
        return read


@contextmanager
def browsing(program: str, folder: Path, scheme: str = "light") -> Iterator[Page]:
    """A browser with a new profile in this folder, ended with the block."""
    read_from, writing = os.pipe()
    reading, write_to = os.pipe()
    # Scrollbars take room here, as they do on a desktop.
    flags = [flag for flag in FLAGS if flag not in ("--hide-scrollbars", "--enable-logging=stderr")]
    look = f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}"
    command = [program, *flags, look, "--remote-debugging-pipe", f"--user-data-dir={folder}"]
    browser = subprocess.Popen(
        [sys.executable, "-c", LAUNCH, str(read_from), str(write_to), *command],
        pass_fds=(read_from, write_to),
        stderr=subprocess.DEVNULL,
    )
    os.close(read_from)
    os.close(write_to)
    try:
        yield Page(reading, writing)
    finally:
        browser.terminate()
        browser.wait(timeout=30)
        os.close(reading)
        os.close(writing)
