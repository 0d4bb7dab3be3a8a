"""Each test's code host, a repository connected to it, and reviews in its pull requests."""

from collections.abc import AsyncIterator, Iterator

import pytest

from instep.platform.core.database import Database, Tx
from instep.transfer.repositories.schemas import RepositoryFields
from tests.support.cast import Api, Cast, Client, Json
from tests.support.code_host_doubles import BitbucketDouble, GiteaDouble, GitLabDouble, HostDouble, speaking
from tests.support.connected_repositories import LOOPBACK, Connected, connected
from tests.support.github_double import GitHubDouble, github
from tests.support.limits import SetSetting
from tests.support.pull_reviews import Deliver, delivering, open_with_drafts


@pytest.fixture
def host() -> Iterator[GitHubDouble]:
    with github() as double:
        yield double


@pytest.fixture(params=[GitLabDouble, GiteaDouble, BitbucketDouble])
def other_host(request: pytest.FixtureRequest) -> Iterator[HostDouble]:
    with speaking(request.param()) as double:
        yield double


@pytest.fixture
def repository_fields() -> RepositoryFields:
    return RepositoryFields()


@pytest.fixture
async def repository(
    database: Database,
    cast: Cast,
    host: GitHubDouble | HostDouble,
    repository_fields: RepositoryFields,
    set_setting: SetSetting,
) -> AsyncIterator[Connected]:
    set_setting(*LOOPBACK)
    [token] = host.tokens
    async with connected(
        database, cast.acme, host.kind, host.url, token, fields=repository_fields
    ) as repository:
        yield repository


@pytest.fixture
def deliver(api: Api, owner: Tx, host: GitHubDouble, repository: Connected) -> Deliver:
    return delivering(api(None), owner, host, repository)


@pytest.fixture
async def drafts(client: Client, host: GitHubDouble, deliver: Deliver) -> dict[str, Json]:
    return await open_with_drafts(client, host, deliver)
