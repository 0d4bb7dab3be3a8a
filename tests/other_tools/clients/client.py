"""A customer's Python program that uses the client generated from the API's description."""

import os
import sys

from instep_management_api_client import AuthenticatedClient
from instep_management_api_client.api.articles import (
    create_article,
    get_article,
    propose_edit,
    publish_article,
)
from instep_management_api_client.api.drafts import apply_draft, list_drafts
from instep_management_api_client.models import (
    Article,
    ArticleCreate,
    Draft,
    DraftApplied,
    DraftApply,
    DraftCreate,
    DraftList,
    Error,
    ErrorCode,
)

api = AuthenticatedClient(base_url=os.environ["CONTRACT_URL"], token=os.environ["CONTRACT_KEY"])

article = create_article.sync(
    client=api, body=ArticleCreate(title="Install", content_markdown="Run `install`.")
)
assert isinstance(article, Article)
publish_article.sync(article.id, client=api)
draft = propose_edit.sync(article.id, client=api, body=DraftCreate(content_markdown="Run `setup`."))
assert isinstance(draft, Draft)
queue = list_drafts.sync(client=api, page_size=10)
assert isinstance(queue, DraftList)
assert draft.id in [entry.id for entry in queue.results]
applied = apply_draft.sync(draft.id, client=api, body=DraftApply())
assert isinstance(applied, DraftApplied)
assert applied.status == "applied"
live = get_article.sync(article.slug, client=api)
assert isinstance(live, Article)
assert live.content_markdown == "Run `setup`."
error = get_article.sync("nothing", client=api)
assert isinstance(error, Error)
assert error.code == ErrorCode.NOT_FOUND
sys.stdout.write("Python: an edit was proposed, applied and read\n")
