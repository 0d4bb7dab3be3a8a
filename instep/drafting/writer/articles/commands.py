"""Finds the program that an article passes a flag to."""

import re
from collections import Counter
from collections.abc import Iterator

from instep.drafting.writer.articles.corpus import Corpus
from instep.drafting.writer.articles.passages import is_in_code
from instep.platform.core.name_matching import mention

# Programs whose commands appear in other products' help centers.
_WIDESPREAD_WORDS = """
    ansible apk apt apt-get aws az brew bun bundle bundler cargo cat chmod chown cmake composer cp
    createdb curl deno dig dnf docker docker-compose dotnet dpkg echo emacs eslint find flyctl gcc gcloud
    gem gh git go gpg gradle grep gunicorn helm heroku ifconfig ip java journalctl jq kubectl ln ls make
    mkdir mkdocs mongosh mv mvn mysql mysqldump nano netlify nginx node nohup npm nslookup nvm openssl
    pg_dump pg_restore php ping pip pip3 pipx pm2 pnpm podman poetry prettier psql pulumi pytest python
    python3 rails rake redis-cli rm rsync ruby rustup scp sed service sqlite3 ssh ssh-keygen systemctl
    tail tar tee terraform touch ufw unzip uv uvicorn vagrant vercel vim virtualenv webpack wget winget
    xargs yarn yum zip
"""
_WIDESPREAD = frozenset(_WIDESPREAD_WORDS.split())
# The start of a command in a line: a prompt, a pipe, inline code.
_BEGINNING = re.compile(r"&&|\|\|?|;|`|\$\(|(?:^|(?<=\s))[$>#%](?=\s)")
_BEFORE_PROGRAM = re.compile(r"(?:sudo|env|time|exec|nohup|npx|[A-Z_][A-Z0-9_]*=\S*)")
_PROGRAM = re.compile(r"(?:\S*/)?([A-Za-z][\w.-]*)")
_MAX_LINES, _MAX_COMMAND_CHARACTERS = 10, 500
_FLAG = re.compile(r"--[a-z][\w-]+")


def program_at(text: str, start: int) -> str | None:
    """The program of the command at an offset in code; None outside of a command."""
    if not is_in_code(text, start):
        return None
    first = text.rfind("\n", 0, start) + 1
    for _ in range(_MAX_LINES):
        if not text.endswith("\\\n", 0, first):
            break
        first = text.rfind("\n", 0, first - 1) + 1
    line = text[max(first, start - _MAX_COMMAND_CHARACTERS) : start]
    command = _BEGINNING.split(line)[-1].split()
    words = (word for word in command if not _BEFORE_PROGRAM.fullmatch(word))
    match = _PROGRAM.fullmatch(next(words, ""))
    return match[1] if match else None


def foreign_programs(flag: str, corpus: Corpus) -> frozenset[str]:
    """Widespread programs that articles pass a flag of this name to, unless the product is one of them."""
    if not _FLAG.fullmatch(flag):
        return frozenset()
    programs = Counter(_programs_with(flag, corpus))
    products = programs.keys() - _WIDESPREAD or {name for name, _ in programs.most_common(1)}
    return frozenset(programs.keys() & _WIDESPREAD) - products


def _programs_with(flag: str, corpus: Corpus) -> Iterator[str]:
    for article in corpus.articles_with(flag):
        for match in mention(flag).finditer(article.text):
            program = program_at(article.text, match.start())
            if program:
                yield program
