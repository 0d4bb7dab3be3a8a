"""The links, images and addresses that a model may write: those whose targets are already named."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from urllib.parse import unquote, urlsplit

from instep.drafting.writer.llm.located_edit import Fault

_ADDRESS = re.compile(r"(?<![\w+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}:/{1,3}[^\s<>\"'`|\\)\]},;]++")
_BARE_HOST = re.compile(
    r"(?<![\w.@/:$-])(?:[a-z0-9][a-z0-9-]{0,62}\.){1,5}(?:com|net|org|info|biz|xyz|ru|cn|top|click|site)\b"
    r"(?![\w(.-])",
    re.IGNORECASE,
)
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@((?:[\w-]{1,63}\.){1,5}[A-Za-z]{2,24})\b")
_END = ".,;:!?*_"
_BLANK = re.compile(r"[\0-\x20]+")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*+(?=:)")
_FILE_ENDING = re.compile(r"\.\w{1,5}$")
_INDEX = frozenset(("index", "_index", "readme", "overview"))
_RUNNING = frozenset(("javascript", "vbscript", "data", "file", "blob", "about", "view-source"))
# Reserved hosts (RFC 2606, RFC 6761), the reader's own machine and network, and placeholders.
_NOBODY = re.compile(
    r"(?:[\w-]{1,63}\.){0,5}(?:example\.(?:com|net|org)|localhost)|127\.[\d.]+|0\.0\.0\.0|::1|10\.[\d.]+"
    r"|192\.168\.[\d.]+|(?:[\w-]{1,63}\.){0,5}(?:your|my)-?[\w-]{1,40}(?:\.[\w-]{1,63}){0,5}|[\w-]{1,63}"
)
# Anyone can have pages or a host on these, so that the host says nothing about the page.
_SHARED_HOSTS = (
    *("github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "githubusercontent.com", "github.io"),
    *("google.com", "googleapis.com", "amazonaws.com", "azurewebsites.net", "windows.net", "cloudfront.net"),
    *("herokuapp.com", "netlify.app", "vercel.app", "pages.dev", "workers.dev", "web.app", "ngrok.io"),
    *("medium.com", "dropbox.com", "notion.site", "pastebin.com", "discord.com", "discord.gg", "t.me"),
    *("bit.ly", "tinyurl.com", "t.co", "readthedocs.io", "docker.com", "youtube.com"),
)


def named_addresses(text: str) -> Iterator[str]:
    return (address.rstrip(_END) for address in _ADDRESS.findall(text))


def named_hosts(text: str) -> Iterator[str]:
    """The hosts of the addresses in a text, including addresses without a scheme."""
    yield from filter(None, map(host_of, named_addresses(text)))
    yield from (host.lower() for host in (*_BARE_HOST.findall(text), *_MAIL.findall(text)))


def host_of(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").lower()
    except ValueError:
        return address


class KnownLinks:
    """`change` has the texts of the change and the code shown, `articles` those of the help center.

    `names` are ids, titles and addresses of articles, and paths of files.
    """

    def __init__(
        self, help_url: str, change: Sequence[str], articles: Sequence[str], names: Iterable[str]
    ) -> None:
        self._names = names
        self._help_url, self._help_host = help_url.rstrip("/"), host_of(help_url)
        self._change_text, self._article_text = "\n".join(change), "\n".join(articles)

    @cached_property
    def _page_names(self) -> frozenset[str]:
        return frozenset(map(_page_name, self._names))

    @cached_property
    def _change_hosts(self) -> frozenset[str]:
        return frozenset(named_hosts(self._change_text))

    @cached_property
    def _article_hosts(self) -> frozenset[str]:
        return frozenset((*named_hosts(self._article_text), *filter(None, [self._help_host])))

    @cached_property
    def _sites(self) -> frozenset[str]:
        """The registered domains of the known hosts that have a single owner."""
        return frozenset(map(_site_of, self._article_hosts | self._change_hosts)) - {""}

    def fault_of_link(self, target: str) -> Fault | None:
        target = _as_browsers_read(target)
        scheme = _SCHEME.match(target)
        if not target:
            return Fault("it has a link that leads nowhere", True)
        if scheme and scheme[0].lower() in _RUNNING:
            return Fault(f"it has an address that runs or embeds something (`{scheme[0]}:`)", True)
        if scheme and scheme[0].lower() == "mailto":
            return self.fault_of_host(target.partition("?")[0].rpartition("@")[2].lower())
        if scheme or target.startswith("//"):
            return self.fault_of_address(target)
        return None if target.startswith("#") else self._fault_of_path(target)

    def fault_of_picture(self, target: str) -> Fault | None:
        """The fault of an image: it loads by itself, so the change alone can't vouch for its host.

        Reviewers see whether there is an image at a path.
        """
        target = _as_browsers_read(target)
        if not _SCHEME.match(target) and not target.startswith("//"):
            return None
        if host_of(target) not in self._article_hosts:
            return Fault(f"it loads a picture from `{host_of(target)[:80]}`, which no article does", True)
        return self.fault_of_link(target)

    def fault_of_address(self, address: str) -> Fault | None:
        if self._help_url and (address + "/").startswith(self._help_url + "/"):
            return None
        page = address.partition("#")[0].rstrip("/")
        if page in self._article_text:
            return None
        host = host_of(address)
        fault = self.fault_of_host(host) if host else None
        if fault or page in self._change_text or not host.endswith(_SHARED_HOSTS) or _NOBODY.fullmatch(host):
            return fault
        name = urlsplit(address).path.strip("/").partition("/")[0]
        owner = re.compile(rf"{re.escape(f'{host}/{name}')}(?![\w-])")
        if owner.search(self._article_text) or owner.search(self._change_text):
            return None
        sentence = f"it links to a page, `{address[:80]}`, that neither the change nor an article names"
        return Fault(sentence, True)

    def fault_of_host(self, host: str) -> Fault | None:
        if host in self._article_hosts or _NOBODY.fullmatch(host):
            return None
        if host in self._change_hosts or host in self._change_text.lower():
            return Fault(f"it names the host `{host[:80]}`, which only the change names", False)
        is_known = _site_of(host) in self._sites
        return Fault(
            f"it names the host `{host[:80]}`, which neither the change nor an article names", not is_known
        )

    def _fault_of_path(self, target: str) -> Fault | None:
        path = re.split(r"[?#]", target, maxsplit=1)[0]
        if not path.strip("./") or _page_name(path) in self._page_names:
            return None
        if path in self._article_text or path in self._change_text:
            return None
        return Fault(f"it links to `{target[:80]}`, but no article or file has that name", False)


def _as_browsers_read(target: str) -> str:
    """The target as browsers read it: no blanks, slashes for backslashes, two of them after the scheme."""
    target = _BLANK.sub("", unquote(target)).replace("\\", "/")
    return re.sub(r"^((?:https?|ftp|wss?):)/*", r"\1//", target, flags=re.IGNORECASE)


def _site_of(host: str) -> str:
    """The registered domain of a host; empty if anyone can register below it."""
    labels = host.split(".")[-2:]
    return "" if len(labels[0]) <= 3 or host.endswith(_SHARED_HOSTS) else ".".join(labels)


def _page_name(path: str) -> str:
    """The last part of a path without its extension, in one spelling; for an index page, its folder."""
    parts = [_FILE_ENDING.sub("", part) for part in re.split(r"[\s/]+", path.casefold()) if part.strip(".")]
    while len(parts) > 1 and parts[-1] in _INDEX:
        parts.pop()
    return parts[-1] if parts else ""
