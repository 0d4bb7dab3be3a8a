"""The requests of the benchmarks, as scripts for wrk."""

from bench.load import script_with_keys
from bench.vocabulary import VOCABULARY

TEXT = " ".join(["the key opens a page where each setting of your plan can be changed"] * 60)
# Words that are neither in every text nor in hardly any.
SEARCHES = [f"{VOCABULARY[number]} {VOCABULARY[number * 2]}" for number in range(400, 500)]


def get_script(keys: list[str], last: int, path: str = "/v1/articles/article-") -> str:
    return script_with_keys(keys, f'wrk.format("GET", "{path}" .. math.random(0, {last}), headers)')


def list_script(keys: list[str], path: str = "/v1/articles") -> str:
    return script_with_keys(keys, f'wrk.format("GET", "{path}", headers)')


def patch_script(keys: list[str], last: int, path: str = "/v1/articles/article-") -> str:
    body = f"'{{\"contentMarkdown\": \"' .. math.random() .. ' {TEXT}\"}}'"
    return script_with_keys(keys, f'wrk.format("PATCH", "{path}" .. math.random(0, {last}), headers, {body})')


def search_script(keys: list[str], path: str = "/v1/articles/search") -> str:
    queries = ", ".join(f'"{query.replace(" ", "%20")}"' for query in SEARCHES)
    return f"queries = {{ {queries} }}\n" + script_with_keys(
        keys, f'wrk.format("GET", "{path}?q=" .. queries[math.random(#queries)], headers)'
    )


def page_script(slug: str, last: int) -> str:
    """Public pages of one help center."""
    return f"""
        request = function()
            return wrk.format("GET", "/help/{slug}/articles/article-" .. math.random(0, {last}))
        end
    """


def revisit_script(slug: str, number: int, etag: str) -> str:
    """A page that the reader has already."""
    return f"""
        request = function()
            local headers = {{ ["If-None-Match"] = '{etag}' }}
            return wrk.format("GET", "/help/{slug}/articles/article-{number}", headers)
        end
    """
