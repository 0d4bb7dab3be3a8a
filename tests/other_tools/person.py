"""A person with a browser who signs in and connects an app."""

import re
import sys
from dataclasses import dataclass
from html import unescape
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx2

EMAIL, PASSWORD = "ann@acme.example", "four words nobody connects"
FORM = re.compile(r'<form\b[^>]* method="post" action="([^"]+)">(.*?)</form>', re.DOTALL)
HIDDEN_FIELD = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')


@dataclass(frozen=True)
class Person:
    """A person with an account at a site."""

    site: str

    def allow(self, url: str, scope: str) -> str:
        """Open an authorization request, sign in and allow it; return the URL of the redirect."""
        with httpx2.Client(headers={"Sec-Fetch-Site": "same-origin"}) as browser:
            page = browser.get(url, follow_redirects=True)
            sign_in = self.submit_form(browser, page, email=EMAIL, password=PASSWORD)
            page = browser.get(urljoin(self.site, sign_in.headers["location"]))
            consent = self.submit_form(browser, page, scope=scope, decision="allow")
            assert consent.status_code == 303, consent.text
            location: str = consent.headers["location"]
            return location

    def submit_form(self, browser: httpx2.Client, page: httpx2.Response, **fields: str) -> httpx2.Response:
        """Submit the first form of a page's content with its hidden fields and the given ones."""
        form = FORM.search(page.text.partition("<main")[2])
        assert form is not None, page.text
        hidden = {name: unescape(value) for name, value in HIDDEN_FIELD.findall(form[2])}
        return browser.post(urljoin(self.site, unescape(form[1])), data=hidden | fields)


def query_parameters(url: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


if __name__ == "__main__":
    print(Person(sys.argv[1]).allow(*sys.argv[2:]))
