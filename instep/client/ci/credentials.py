"""The server that the environment names, and its key: one that is set, or one that the job obtains."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

from instep.client.ci.retries import Patience
from instep.client.ci.shapes import Shape, parse_shape
from instep.client.ci.transport import HttpResponse, Refused, Transport, is_address

VISIBLE = re.compile(r"[\x21-\x7e]+")
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
NO_KEY = (
    "INSTEP_API_KEY is not set: set it to an API key of the server. CI services often withhold secrets from"
    " changes of forks. A job that the server trusts needs no key if it may ask for a token: in GitHub"
    " Actions with `permissions: id-token: write`, in GitLab with `id_tokens: INSTEP_ID_TOKEN`."
)


@dataclass(frozen=True, slots=True)
class Server:
    """The server's URL, and an API key that is only sent to this URL; `renew` gets another one."""

    url: str
    key: str
    renew: Callable[[], str] | None = None


@dataclass(frozen=True)
class JobToken(Shape):
    """The answer of GitHub Actions to a job's request for an ID token."""

    value: str


@dataclass(frozen=True)
class KeyGiven(Shape):
    """The token exchange response (RFC 8693 section 2.2.1)."""

    access_token: str = field(metadata={"name": "access_token"})


def read_server(environ: Mapping[str, str], patience: Patience | None = None) -> Server:
    """The server, with the key that is set, or else one for the job's ID token."""
    url = environ.get("INSTEP_URL", "").strip().rstrip("/").removesuffix("/v1")
    key = environ.get("INSTEP_API_KEY", "").strip()
    if not url:
        raise Refused("INSTEP_URL is not set: set it to the address of the server.")
    if not is_address(url):
        raise Refused("INSTEP_URL must be an address such as https://help.example.com, without user name.")
    if not key and offers_id_token(environ):
        job = KeylessJob(url, environ, patience or Patience())
        return Server(url, job.get_key(), job.get_key)
    if not key:
        raise Refused(NO_KEY)
    if not VISIBLE.fullmatch(key):
        raise Refused(
            "INSTEP_API_KEY is not a valid API key: it contains spaces or other invalid characters."
        )
    return Server(url, key)


def offers_id_token(environ: Mapping[str, str]) -> bool:
    return bool(environ.get("INSTEP_ID_TOKEN") or environ.get("ACTIONS_ID_TOKEN_REQUEST_URL"))


@dataclass(frozen=True, slots=True)
class KeylessJob:
    """A job of a CI with ID tokens; the server exchanges one for a key that is valid for 15 minutes."""

    url: str
    environ: Mapping[str, str]
    patience: Patience

    def get_key(self) -> str:
        """A new key; raises `Refused`."""
        form = {
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
            "subject_token": self.id_token(),
            "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
        }
        if trust := self.environ.get("INSTEP_TRUST", "").strip():
            form["client_id"] = trust
        address, transport = f"{self.url}/oauth/token", Transport(self.url)
        body = urlencode(form).encode()
        response = self.patience.retry(self.url, lambda: transport.send("POST", address, body, FORM))
        if not response.is_success:
            raise Refused(f"{self.url} responds with {response.status}: {reason_of(response)}")
        try:
            return parse_shape(KeyGiven, response.json()).access_token
        except ValueError:
            raise Refused(f"{self.url} is not an Instep server: check INSTEP_URL.") from None

    def id_token(self) -> str:
        """The job's token (GitLab), or one that it requests (GitHub Actions)."""
        if token := self.environ.get("INSTEP_ID_TOKEN", "").strip():
            return token
        address = self.environ["ACTIONS_ID_TOKEN_REQUEST_URL"]
        separator = "&" if "?" in address else "?"
        address += f"{separator}audience={quote(self.url, safe='')}"
        secret = self.environ.get("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "")
        if not is_address(address.partition("?")[0]) or not VISIBLE.fullmatch(secret):
            raise Refused("ACTIONS_ID_TOKEN_REQUEST_URL and ACTIONS_ID_TOKEN_REQUEST_TOKEN can't be used.")
        headers, transport = {"Authorization": f"Bearer {secret}"}, Transport(address)
        response = self.patience.retry(
            "The CI service", lambda: transport.send("GET", address, None, headers)
        )
        try:
            return parse_shape(JobToken, response.json()).value
        except ValueError:
            raise Refused(
                f"This job can't get a token from the CI service: it responds with {response.status}."
            ) from None


def reason_of(response: HttpResponse) -> str:
    try:
        return str(response.json()["error_description"])
    except (ValueError, TypeError, KeyError):
        return "check that INSTEP_URL is an Instep server, and recent enough to support trusts."
