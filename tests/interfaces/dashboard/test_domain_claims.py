"""Host names are claims until DNS points them at the help center: being first does not secure a name."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from fastapi import FastAPI

from instep.accounts.workspaces.actions import find_bot_by_reference
from instep.accounts.workspaces.domain_claims import change_domain, check_domain, record_name, record_value
from instep.accounts.workspaces.jobs import CHECK_DOMAINS, check_domains
from instep.accounts.workspaces.schemas import BotRow
from instep.operations.ops.prune import Step, delete_expired
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import InvalidRequest
from instep.platform.core.jobs import Job
from instep.platform.core.outbound.dns_texts import find_texts
from instep.platform.identity.schemas import Actor
from tests.interfaces.dashboard.conftest import Desk
from tests.support.cast import Api, Cast, Company, create_company
from tests.support.limits import SetSetting
from tests.support.nameserver import NO_SUCH_NAME, NameServer, Records

OWNER = Actor("person", "olga@acme.example", can_write=True, id="usr_1")
JOB = Job(1, CHECK_DOMAINS, {}, 1)


@dataclass
class Dns:
    """A local name server and its TXT records."""

    database: Database
    owner: Tx
    texts: dict[str, list[str]] = field(default_factory=dict)
    is_silent: bool = False
    port: int = 0

    def zone(self, name: str, times: int) -> Records | None:
        if self.is_silent:
            return Records(code=2)
        return Records(texts=self.texts[name]) if name in self.texts else Records(code=NO_SUCH_NAME)

    async def find_texts(self, name: str) -> list[str]:
        return await find_texts(name, [f"127.0.0.1:{self.port}"])

    def give(self, host: str, *companies: Company) -> None:
        self.texts[record_name(host)] = [record_value(company.bot_id) for company in companies]

    async def claim(self, company: Company, host: str) -> BotRow:
        return await change_domain(self.owner, company.workspace_id, company.bot_id, host, OWNER)

    async def check(self, company: Company, host: str) -> str:
        return await check_domain(
            self.database, company.workspace_id, company.bot_id, host, self.find_texts, OWNER
        )

    async def domain(self, company: Company) -> str | None:
        row = await find_bot_by_reference(self.owner, company.workspace_id, str(company.bot_id))
        return row.domain


@pytest.fixture
async def dns(database: Database, owner: Tx) -> AsyncIterator[Dns]:
    dns = Dns(database, owner)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(
        lambda: NameServer(dns.zone), local_addr=("127.0.0.1", 0)
    )
    dns.port = transport.get_extra_info("sockname")[1]
    yield dns
    transport.close()


@pytest.fixture
def host(cast: Cast) -> str:
    return f"help.{cast.acme.slug}.example"


async def status_of(api: Api, host: str) -> tuple[int, int]:
    """Whether the help center's home page is served at the host, and the status that proxies ask for."""
    page = await api(None).get(f"http://{host}/robots.txt", headers={"Host": host})
    known = await api(None).get("/domains/known", params={"domain": host})
    return int("/sitemap.xml" in page.text and host in page.text), known.status_code


async def test_a_claim_serves_nothing_and_keeps_nobody_out(dns: Dns, api: Api, cast: Cast, host: str) -> None:
    claimed = await dns.claim(cast.globex, host)
    assert (claimed.domain, claimed.claimed_domain) == (None, host)
    assert await dns.check(cast.globex, host) == "missing"
    assert await status_of(api, host) == (0, 404)

    await dns.claim(cast.acme, host)
    dns.give(host, cast.acme)

    assert await dns.check(cast.globex, host) == "missing"
    assert await dns.check(cast.acme, host) == "proved"
    assert await dns.domain(cast.acme) == host
    assert (await api(None).get("/domains/known", params={"domain": host})).status_code == 200


async def test_dns_record_of_a_claim_takes_the_name_from_its_holder(
    dns: Dns, owner: Tx, cast: Cast, host: str
) -> None:
    await change_domain(owner, cast.globex.workspace_id, cast.globex.bot_id, host)
    await dns.claim(cast.acme, host)
    dns.give(host, cast.acme, cast.globex)
    assert await dns.check(cast.acme, host) == "taken"

    dns.give(host, cast.acme)

    assert await dns.check(cast.acme, host) == "proved"
    assert (await dns.domain(cast.globex), await dns.domain(cast.acme)) == (None, host)


async def test_a_name_is_lost_when_its_record_is_gone_for_days(
    dns: Dns, owner: Tx, database: Database, cast: Cast, host: str
) -> None:
    await dns.claim(cast.acme, host)
    dns.give(host, cast.acme)
    assert await dns.check(cast.acme, host) == "proved"
    dns.texts.clear()

    async def a_run_later(age: timedelta) -> str | None:
        sql = "update bots set domain_seen_at = now() - %(age)s where id = %(id)s"
        await owner.execute(sql, age=age, id=cast.acme.bot_id)
        await check_domains(database, dns.find_texts, JOB)
        return await dns.domain(cast.acme)

    assert await a_run_later(timedelta(days=2)) == host
    dns.is_silent = True
    assert await a_run_later(timedelta(days=4)) == host
    dns.is_silent = False
    assert await a_run_later(timedelta(days=4)) is None


async def test_a_claim_that_nothing_proves_is_forgotten(
    dns: Dns, owner: Tx, database: Database, cast: Cast, host: str
) -> None:
    await dns.claim(cast.acme, host)
    sql = "update bots set domain_claimed_at = now() - interval '15 days' where id = %(id)s"
    await owner.execute(sql, id=cast.acme.bot_id)

    async with database.enter_workspace("") as tx:
        await delete_expired(tx, Step("prune_domain_claims", (limits.DOMAIN_CLAIM_TTL,)))
    dns.give(host, cast.acme)

    assert await dns.check(cast.acme, host) == "missing"


async def test_hosts_of_the_operator_are_nobody_elses(
    dns: Dns, owner: Tx, app: FastAPI, api: Api, cast: Cast, host: str, set_setting: SetSetting
) -> None:
    await change_domain(owner, cast.acme.workspace_id, cast.acme.bot_id, host)

    set_setting("INSTEP_RESERVED_HOSTS", f"lb.example.com, *.{cast.acme.slug}.example")
    app.state.settings = settings()

    for name in ("LB.example.com", host, "help.test"):
        with pytest.raises(InvalidRequest):
            await dns.claim(cast.globex, name)
    # A host name that has become the operator's own is not served either.
    assert await status_of(api, host) == (0, 404)


async def test_monitors_are_answered_at_every_host(owner: Tx, api: Api, cast: Cast, host: str) -> None:
    await change_domain(owner, cast.acme.workspace_id, cast.acme.bot_id, host)

    for path in ("/healthz", "/readyz"):
        answer = await api(None).get(f"http://{host}{path}")
        assert answer.headers["Content-Type"].startswith("application/json"), path


async def test_the_only_workspace_needs_no_record(new_owner: Tx, host: str) -> None:
    only = await create_company(new_owner, "Only")

    first = await change_domain(new_owner, only.workspace_id, only.bot_id, host, OWNER)
    await create_company(new_owner, "Second")
    second = await change_domain(new_owner, only.workspace_id, only.bot_id, f"new.{host}", OWNER)

    assert (first.domain, first.claimed_domain) == (host, None)
    assert (second.domain, second.claimed_domain) == (host, f"new.{host}")


async def test_an_owner_creates_the_record_that_the_page_shows(
    dns: Dns, app: FastAPI, desk: Desk, cast: Cast, host: str
) -> None:
    app.state.find_texts = dns.find_texts
    page = await desk.follow(await desk.send("settings/site", "settings/site/domain", domain=host))
    assert record_name(host) in page.text
    assert record_value(cast.acme.bot_id) in page.text
    early = await desk.follow(await desk.send("settings/site", "settings/site/domain/check"))
    assert "not there yet" in early.text

    dns.give(host, cast.acme)
    late = await desk.follow(await desk.send("settings/site", "settings/site/domain/check"))

    assert "DNS record found" in late.text
    assert record_value(cast.acme.bot_id) not in late.text
