"""The shapes of the authorization server: apps, authorization requests, grants, tokens."""

import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from instep.accounts.oauth.redirects import is_on_own_computer, target_of, valid_redirect_uri
from instep.platform.core import limits
from instep.platform.core.outbound.urls import parse_url
from instep.platform.identity.schemas import Person
from instep.platform.identity.scopes import Role, Scope, widest
from instep.platform.web.shapes import without_nul

# The grant types of apps, which people connect.
GRANT_TYPES = ("authorization_code", "refresh_token")
# The grant type of CI jobs (RFC 8693 section 2.1).
TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"


def readable(text: str, most: int = limits.MAX_APP_NAME_CHARACTERS) -> str:
    """A text that is safe to show: without invisible characters, bidirectional controls and line breaks."""
    visible = "".join(" " if unicodedata.category(character)[0] in "CZ" else character for character in text)
    return " ".join(visible.split())[:most]


StorableText = Annotated[str, AfterValidator(without_nul)]
RedirectUri = Annotated[str, AfterValidator(valid_redirect_uri)]


class AppMetadata(BaseModel):
    """Client metadata (RFC 7591 section 2); fields that this server does not use are ignored."""

    model_config = ConfigDict(extra="ignore")

    redirect_uris: list[RedirectUri] = Field(min_length=1, max_length=limits.MAX_REDIRECT_URIS)
    client_name: StorableText | None = None
    grant_types: list[str] | None = None
    response_types: list[str] | None = None
    token_endpoint_auth_method: str | None = None

    @property
    def name(self) -> str:
        return readable(self.client_name or "") or readable(target_of(self.redirect_uris[0]))

    @property
    def is_supported(self) -> bool:
        """True if this server supports its grant and response types."""
        return "authorization_code" in (self.grant_types or GRANT_TYPES) and "code" in (
            self.response_types or ["code"]
        )


class Document(AppMetadata):
    """A client ID metadata document, whose URL is the app's id."""

    client_id: str
    client_secret: Any = None


@dataclass(frozen=True, slots=True)
class App:
    """One row of `oauth_clients`: `fresh_until` is when a cached document expires, or None."""

    id: str
    name: str
    redirect_uris: list[str]
    fresh_until: datetime | None

    @property
    def host(self) -> str | None:
        """The host of its document, which proves its name; None for a registered app."""
        return parse_url(self.id).host if self.fresh_until else None


@dataclass(frozen=True, slots=True)
class AuthorizationRequest:
    """A valid authorization request (RFC 6749 section 4.1.1)."""

    app: App
    redirect_uri: str
    state: str | None
    challenge: str
    scope: Scope

    @property
    def target(self) -> str:
        return target_of(self.redirect_uri)

    @property
    def is_local(self) -> bool:
        return is_on_own_computer(self.redirect_uri)


@dataclass(frozen=True, slots=True)
class Consent:
    """The person's consent; `bot_ids` is None for all bots of the workspace, including future ones."""

    scope: Scope
    bot_ids: list[UUID] | None


@dataclass(frozen=True, slots=True)
class GrantRow:
    """A grant as the token endpoint reads it; `is_alive`: not expired, revoked, or of a disabled person."""

    id: str
    client_id: str
    redirect_uri: str
    resource: str
    scope: str
    challenge: str
    workspace_id: str
    person_id: str
    email: str
    role: str
    is_redeemed: bool
    is_alive: bool

    @property
    def person(self) -> Person:
        return Person(self.person_id, self.workspace_id, self.email, Role(self.role))


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A refresh token: whether it was used, whether it has expired, and the sealed answer to a recent use."""

    is_used: bool
    is_expired: bool
    answer: bytes | None


@dataclass(frozen=True, slots=True)
class PersonGrant:
    """An app that someone of the workspace has connected, as its owners see it."""

    id: str
    app_name: str
    scope: str
    email: str
    bot_names: list[str] | None
    created_at: datetime
    used_at: datetime | None


@dataclass(frozen=True, slots=True)
class Grant:
    """An app that a person has connected, as the page of connected apps lists it."""

    id: str
    app_name: str
    client_id: str
    redirect_uri: str
    scope: str
    bot_names: list[str] | None
    created_at: datetime
    used_at: datetime | None

    @property
    def target(self) -> str:
        return target_of(self.redirect_uri)


class Tokens(BaseModel):
    """The access token response (RFC 6749 section 5.1)."""

    access_token: str
    token_type: Literal["Bearer"] = "Bearer"
    expires_in: int = int(limits.ACCESS_TOKEN_TTL.total_seconds())
    refresh_token: str
    scope: str


def scope_parameter(scope: Scope) -> str:
    """The value of OAuth's `scope` parameter; every scope includes read."""
    return " ".join(dict.fromkeys((Scope.READ, scope)))


def read_scope(text: str | None, default: Scope = Scope.READ) -> Scope:
    """Parse a `scope` parameter; unknown scopes are ignored (RFC 6749 section 3.3)."""
    words = set((text or "").split()) & set(Scope)
    return widest(words) if words else default
