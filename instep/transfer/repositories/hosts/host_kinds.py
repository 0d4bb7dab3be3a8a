"""The supported kinds of code hosts."""

from instep.transfer.repositories.hosts.bitbucket import Bitbucket
from instep.transfer.repositories.hosts.gitea import Gitea
from instep.transfer.repositories.hosts.github import GitHub
from instep.transfer.repositories.hosts.gitlab import GitLab
from instep.transfer.repositories.hosts.host_form import HostForm
from instep.transfer.repositories.schemas import HostKind

FORMS: dict[HostKind, HostForm] = {
    "github": GitHub(),
    "gitlab": GitLab(),
    "gitea": Gitea(),
    "bitbucket": Bitbucket(),
}
