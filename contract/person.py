"""Somebody with a browser: signs in, and lets an app act for them."""

import re
import sys
from dataclasses import dataclass
from html import unescape
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx2

EMAIL, PASSWORD = "ann@acme.example", "four words nobody connects"
ACTION = re.compile(r'<form class="card" method="post" action="([^"]+)"')
HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')
SIGN_OUT = re.compile(r'<form class="who".*?</form>', re.DOTALL)


@dataclass(frozen=True)
class Person:
    """What they give away to a page that asks for it."""

    site: str

    def allow(self, address: str, scope: str) -> str:
        """Open an app's request, sign in, say yes; the address at the app that the browser is sent to."""
        with httpx2.Client(headers={"Sec-Fetch-Site": "same-origin"}) as browser:
            page = browser.get(address, follow_redirects=True)
            signed_in = self.send(browser, page, email=EMAIL, password=PASSWORD)
            page = browser.get(urljoin(self.site, signed_in.headers["location"]))
            answer = self.send(browser, page, scope=scope, decision="allow")
            assert answer.status_code == 303, answer.text
            location: str = answer.headers["location"]
            return location

    def send(self, browser: httpx2.Client, page: httpx2.Response, **fields: str) -> httpx2.Response:
        """The form of a page, filled in."""
        html = SIGN_OUT.sub("", page.text)
        action = ACTION.search(html)
        assert action is not None, page.text
        hidden = {name: unescape(value) for name, value in HIDDEN.findall(html)}
        return browser.post(urljoin(self.site, unescape(action[1])), data=hidden | fields)


def answer_in(location: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}


if __name__ == "__main__":
    print(Person(sys.argv[1]).allow(*sys.argv[2:]))
