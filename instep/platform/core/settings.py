"""The settings of an installation: their names, formats and meanings."""

import os
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from instep.platform.core.limits import MIN_TASK_TOKENS
from instep.platform.core.outbound.allowed import AllowList, read_allow_list
from instep.platform.core.outbound.networks import Network
from instep.platform.core.setting_forms import (
    SECRET_KEY_CHARACTERS,
    AllowListText,
    ApiAddress,
    BackupPlace,
    DatabaseUrl,
    DataFolder,
    EmbedderName,
    FontFiles,
    HostPatterns,
    HttpOrigin,
    IssuerList,
    ModelName,
    ProxyList,
    SecretKeyList,
    SenderAddress,
    SmtpServer,
    SmtpUrl,
    StorageUrl,
    listed_issuers,
    read_proxies,
    read_smtp_url,
)

METRICS_TOKEN_CHARACTERS = 16
# A century: PostgreSQL can't compute dates that are much longer ago.
MAX_RETENTION_DAYS = 36_500
# The visible ASCII characters, which a header field can carry (RFC 9110, section 5.5).
VISIBLE = r"^[\x21-\x7e]*$"


def default_data_dir() -> Path:
    if folder := os.environ.get("XDG_DATA_HOME"):
        return Path(folder) / "instep"
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return Path("/var/lib/instep")
    return Path.home() / ".local/share/instep"


class Settings(BaseModel):
    """The settings of an installation; `instep doctor` prints them without secrets."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    database_url: DatabaseUrl = Field(
        None,
        description="The address of your own PostgreSQL; with several hosts, the one that accepts writes"
        " is used. Not set: the embedded one.",
        examples=["postgresql://instep@db.internal/instep"],
    )
    database_read_url: DatabaseUrl = Field(
        None,
        description="The address of a replica of that database, or of several. Pages of help centers,"
        " and lists and searches of the API, are read from it unless it lags behind. Not set: everything is"
        " read from the database itself.",
        examples=["postgresql://instep@replica.internal/instep"],
    )
    data_dir: DataFolder = Field(
        default_factory=default_data_dir,
        description="The data folder.",
        examples=["/var/lib/instep"],
    )
    site_url: HttpOrigin = Field(
        "http://127.0.0.1:8000",
        description="The public address of this installation: `http://` or `https://`, a host and, if"
        " needed, a port, without a path. It begins every `url` of the API.",
        examples=["https://help.example.com"],
    )
    secret_key: str | None = Field(
        None,
        min_length=SECRET_KEY_CHARACTERS,
        description="Signs the cursors of lists and encrypts the signing secrets of webhooks, the visitor"
        " secrets of bots, the addresses of chat alerts, the keys of language models and the tokens of code"
        " hosts. Not set: made once and kept in the data folder.",
    )
    secret_key_previous: SecretKeyList = Field(
        "",
        description="Secret keys used before, comma separated, each of at least"
        f" {SECRET_KEY_CHARACTERS} characters: what they signed or encrypted is still read.",
    )
    requests_per_minute: int = Field(
        120, ge=1, description="Requests per minute for each API key.", examples=[240]
    )
    anonymous_requests_per_minute: int = Field(
        60, ge=1, description="Requests per minute for each address without a valid API key.", examples=[120]
    )
    public_requests_per_minute: int = Field(
        600,
        ge=1,
        description="Requests per minute for each address to pages and public documents, in each server"
        " process.",
        examples=[1_200],
    )
    trusted_proxies: ProxyList = Field(
        "",
        description="Proxies whose `X-Forwarded-For` is trusted, comma separated. Empty: the connection's"
        " own address is used.",
    )
    reserved_hosts: HostPatterns = Field(
        "",
        description="Host names that no help center may use, comma separated, such as the load"
        " balancer's; `*.example.com` covers all names below it. The host of"
        " `INSTEP_SITE_URL` is always one of them.",
        examples=["lb.example.com,*.internal.example.com"],
    )
    tasks_per_hour: int = Field(
        30,
        ge=1,
        description="Tasks per hour for each API key; a workspace as a whole can create ten times as many.",
        examples=[600],
    )
    jobs: bool = Field(
        True, description="Run jobs in the processes of `instep serve` too.", examples=["false"]
    )
    conversation_retention_days: int = Field(
        365,
        ge=1,
        le=MAX_RETENTION_DAYS,
        description="The number of days for which leads and conversations with a person are kept.",
        examples=[90],
    )
    card_fonts: FontFiles = Field(
        "",
        description="Font files, comma separated, for the images that chats show next to links, such as for"
        " titles in Arabic or Japanese.",
        examples=["/usr/share/fonts/truetype/noto/NotoSansArabic-Bold.ttf"],
    )
    visit_count_retention_days: int = Field(
        400,
        ge=1,
        le=MAX_RETENTION_DAYS,
        description="The number of days for which counts of visits and searches are kept.",
        examples=[90],
    )
    database_pool: int = Field(
        10,
        ge=1,
        le=100,
        description="The maximum number of database connections of one process.",
        examples=[20],
    )
    cdn_seconds: int = Field(
        0,
        ge=0,
        le=31_536_000,
        description="The number of seconds for which a CDN may serve a public page without revalidating it."
        " Set more than 0 only for a CDN that a webhook purges.",
        examples=[3_600],
    )
    metrics_token: str | None = Field(
        None,
        min_length=METRICS_TOKEN_CHARACTERS,
        pattern=VISIBLE,
        description="The token with which Prometheus on another machine reads `/metrics`. Not set: only this"
        " machine reads it.",
    )
    metrics_port: int | None = Field(
        None,
        ge=1,
        le=65_535,
        description="The port on `127.0.0.1` where `instep worker` serves its metrics. Not set: none.",
        examples=[9_464],
    )
    log_format: Literal["json", "text"] | None = Field(
        None,
        description="The format of log lines: `json` or `text`. Not set: text in a terminal, JSON elsewhere.",
        examples=["json"],
    )
    otel_exporter_otlp_endpoint: ApiAddress = Field(
        None,
        description="The OpenTelemetry collector that receives traces over OTLP/HTTP. Not set: no traces.",
    )
    development: bool = Field(
        False,
        description="Shows `/app/_parts`, a catalog of the dashboard's components for developers of"
        " Instep. Leave it off elsewhere.",
        examples=["true"],
    )
    oidc_issuer: ApiAddress = Field(
        None,
        description="The OpenID provider through which people can sign in. Not set: none.",
        examples=["https://login.example.com"],
    )
    oidc_client_id: str | None = Field(
        None, description="The client ID of this installation at the provider. Required with the issuer."
    )
    oidc_client_secret: str | None = Field(
        None,
        pattern=VISIBLE,
        description="The client secret from the provider. Required with the issuer.",
    )
    oidc_trusted_issuers: IssuerList = Field(
        "",
        description="Issuers, comma separated, whose email addresses count as verified although their tokens"
        " do not say so, such as Microsoft Entra ID. List an issuer only if people can't change their"
        " addresses there themselves; for Entra ID, your tenant's.",
        examples=["https://login.microsoftonline.com/3f1c…/v2.0"],
    )
    oidc_name: str = Field(
        "single sign-on",
        description="The provider's name on the button: “Sign in with …”.",
        examples=["Acme login"],
    )
    oidc_create_role: Literal["owner", "editor", "viewer"] | None = Field(
        None,
        description="The role of people who sign in through the provider for the first time: `owner`,"
        " `editor` or `viewer`. Not set: they need an invitation.",
    )
    smtp_url: SmtpUrl = Field(
        None,
        description="The SMTP server. Not set: Instep sends no email.",
        examples=["starttls://instep:secret@mail.example.com:587"],
    )
    email_from: SenderAddress = Field(
        None,
        description="The sender of email.",
        examples=["Acme Help <help@example.com>"],
    )
    webhook_allow: AllowListText = Field(
        "",
        description="Hosts and networks, comma separated, that are allowed for webhooks, chat alerts, issuers"
        " of trusts and code hosts although they are not public.",
    )
    files: StorageUrl = Field(
        None,
        description="The bucket or folder that holds images and downloads: `s3://`, `gs://` or `az://` with a"
        " bucket, or `file:///` with a folder. Not set: the database.",
        examples=["s3://acme-help/files"],
    )
    backups: BackupPlace = Field(
        None,
        description="The folder or bucket of daily backups: a path, or `s3://`, `gs://` or `az://` with a"
        " bucket. Not set: there are no daily backups.",
        examples=["/var/backups/instep"],
    )
    backup_keep: int = Field(14, ge=1, description="The number of daily backups to keep.", examples=[30])
    model: ModelName = Field(
        None,
        description="The language model of help centers whose owners have set none: `openai:NAME` or"
        " `anthropic:NAME`. Not set: they have none.",
    )
    model_allow: AllowListText = Field(
        "",
        description="Hosts and networks, comma separated, that owners may set for language models although"
        " they are not public.",
        examples=["ollama.internal,10.1.0.0/16"],
    )
    model_seconds: int = Field(
        60,
        ge=1,
        le=600,
        description="The time limit in seconds for one question to the model, including retries.",
        examples=[120],
    )
    model_tokens_per_task: int = Field(
        60_000,
        ge=MIN_TASK_TOKENS,
        description="The maximum number of tokens for one task, questions and answers together.",
        examples=[80_000],
    )
    model_tokens_per_day: int = Field(
        1_000_000,
        ge=0,
        description="The maximum number of tokens for one bot per day (UTC).",
        examples=[2_000_000],
    )
    openai_api_key: str | None = Field(
        None,
        pattern=VISIBLE,
        description="The key for an endpoint with OpenAI's API format. Required unless its address is set.",
    )
    openai_base_url: ApiAddress = Field(
        None, description="The address before `/chat/completions`. Not set: `https://api.openai.com/v1`."
    )
    anthropic_api_key: str | None = Field(
        None,
        pattern=VISIBLE,
        description="The key for an endpoint with Anthropic's API format. Required unless its address is"
        " set.",
    )
    anthropic_base_url: ApiAddress = Field(
        None, description="The address before `/v1/messages`. Not set: `https://api.anthropic.com`."
    )
    embeddings: EmbedderName = Field(
        None,
        description="Embeddings, which find articles with the same meaning in different words: `openai:NAME`,"
        " `local:FOLDER`, or `off` to search by words only. Not set: a small built-in model.",
    )
    embeddings_url: ApiAddress = Field(
        None, description="The address before `/embeddings`. Not set: the one in `OPENAI_BASE_URL`."
    )
    embeddings_key: str | None = Field(
        None,
        pattern=VISIBLE,
        validate_default=True,
        description="The key for that address, which is sent nowhere else. Not set: the one in"
        " `OPENAI_API_KEY`, if the address is not set either.",
    )

    @field_validator("embeddings_key")
    @classmethod
    def key_of_embeddings(cls, text: str | None, info: ValidationInfo) -> str | None:
        embeddings = info.data.get("embeddings") or ""
        others = ("openai_api_key", "openai_base_url", "embeddings_url")
        if embeddings.startswith("openai:") and not text and not any(map(info.data.get, others)):
            raise ValueError(
                f"{embeddings} needs it, or OPENAI_API_KEY, or INSTEP_EMBEDDINGS_URL of a server without keys"
            )
        return text

    @model_validator(mode="after")
    def replica_with_database(self) -> "Settings":
        if self.database_read_url and not self.database_url:
            raise ValueError(
                "INSTEP_DATABASE_READ_URL: it names a replica of the database in INSTEP_DATABASE_URL, which"
                " is not set: set both, or remove it"
            )
        return self

    @model_validator(mode="after")
    def provider_with_client(self) -> "Settings":
        if self.oidc_issuer and not (self.oidc_client_id and self.oidc_client_secret):
            raise ValueError(
                "INSTEP_OIDC_ISSUER: it needs INSTEP_OIDC_CLIENT_ID and INSTEP_OIDC_CLIENT_SECRET"
            )
        return self

    @model_validator(mode="after")
    def server_with_sender(self) -> "Settings":
        if self.smtp_url and not self.email_from:
            raise ValueError("INSTEP_SMTP_URL: it needs INSTEP_EMAIL_FROM, the sender's address")
        return self

    @model_validator(mode="after")
    def model_with_key(self) -> "Settings":
        if self.model and self.provider_key is None and self.provider_url is None:
            variable = self.provider.upper()
            raise ValueError(
                f"INSTEP_MODEL: {self.model} needs {variable}_API_KEY, or {variable}_BASE_URL of a server"
                " without keys"
            )
        return self

    @property
    def vectors_url(self) -> str | None:
        return self.embeddings_url or self.openai_base_url

    @property
    def vectors_key(self) -> str | None:
        """The key of the embedding endpoint; OpenAI's key is never sent to another server."""
        return self.embeddings_key or (None if self.embeddings_url else self.openai_api_key) or None

    @property
    def provider(self) -> str:
        """The provider whose API the model's endpoint implements: `openai`, `anthropic`, or empty."""
        return (self.model or "").partition(":")[0]

    @property
    def provider_key(self) -> str | None:
        return (self.anthropic_api_key if self.provider == "anthropic" else self.openai_api_key) or None

    @property
    def provider_url(self) -> str | None:
        return self.anthropic_base_url if self.provider == "anthropic" else self.openai_base_url

    @property
    def base_url(self) -> str:
        return self.site_url.rstrip("/")

    def url_at(self, host: str) -> str:
        """The URL of this installation at another host, with the same scheme and port."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port else "")

    @property
    def is_encrypted(self) -> bool:
        """True if people use this installation over https."""
        return self.base_url.startswith("https://")

    @property
    def proxies(self) -> tuple[Network, ...]:
        return read_proxies(self.trusted_proxies)

    def is_reserved(self, host: str) -> bool:
        """True if no help center may have this host name."""
        patterns = [part.strip() for part in self.reserved_hosts.lower().split(",")]
        return host == urlsplit(self.base_url).hostname or any(fnmatchcase(host, part) for part in patterns)

    @property
    def trusted_issuers(self) -> frozenset[str]:
        return listed_issuers(self.oidc_trusted_issuers)

    @property
    def card_font_files(self) -> tuple[str, ...]:
        return tuple(name.strip() for name in self.card_fonts.split(",") if name.strip())

    @property
    def smtp_server(self) -> SmtpServer | None:
        """The server that sends email; None: no email is sent."""
        return read_smtp_url(self.smtp_url) if self.smtp_url else None

    @property
    def allow_list(self) -> AllowList:
        return read_allow_list(self.webhook_allow)

    @property
    def model_allow_list(self) -> AllowList:
        return read_allow_list(self.model_allow, "INSTEP_MODEL_ALLOW")


SECRETS = {
    "database_url",
    "database_read_url",
    "secret_key",
    "secret_key_previous",
    "metrics_token",
    "openai_api_key",
    "anthropic_api_key",
    "embeddings_key",
    "oidc_client_secret",
    "smtp_url",
}
