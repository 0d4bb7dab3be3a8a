"""The kinds of code hosts that Instep knows."""

from instep.transfer.repositories.hosts.github import GitHub
from instep.transfer.repositories.hosts.host_form import HostForm
from instep.transfer.repositories.schemas import HostKind

FORMS: dict[HostKind, HostForm] = {"github": GitHub()}
