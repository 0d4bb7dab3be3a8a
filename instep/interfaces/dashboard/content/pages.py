"""The routes of articles, collections, parts and the changelog below `/app/{botSlug}/`."""

from starlette.routing import Route

from instep.interfaces.dashboard.content import (
    article_history,
    article_list,
    article_page,
    bulk_pages,
    changelog_pages,
    collection_pages,
    coverage_page,
    part_pages,
    replace_pages,
    translate_page,
)

ARTICLES = "/app/{bot_slug}/articles"
ARTICLE = f"{ARTICLES}/{{id}}"
COLLECTIONS = "/app/{bot_slug}/collections"
COLLECTION = f"{COLLECTIONS}/{{id}}"
PARTS = "/app/{bot_slug}/parts"
PART = f"{PARTS}/{{id}}"
CHANGELOG = "/app/{bot_slug}/changelog"
ENTRY = f"{CHANGELOG}/{{id}}"
POST = ["POST"]

routes = [
    Route(ARTICLES, article_list.show_articles),
    Route(f"{ARTICLES}/languages", coverage_page.show_coverage),
    Route(f"{ARTICLES}/translate", translate_page.ask_what_to_translate),
    Route(f"{ARTICLES}/translate", translate_page.have_translated, methods=POST),
    Route(f"{ARTICLES}/deleted", article_history.show_deleted),
    Route(f"{ARTICLES}/bulk", bulk_pages.ask_how_to_change),
    Route(f"{ARTICLES}/bulk", bulk_pages.change_in_bulk, methods=POST),
    Route(f"{ARTICLES}/bulk/{{id}}/undo", bulk_pages.undo_in_bulk, methods=POST),
    Route(f"{ARTICLES}/replace", replace_pages.show_replacements),
    Route(f"{ARTICLES}/replace", replace_pages.make_replacement_drafts, methods=POST),
    Route(ARTICLE, article_page.show_article),
    Route(f"{ARTICLE}/changes", article_page.show_unpublished_changes),
    Route(f"{ARTICLE}/history", article_history.show_history),
    Route(f"{ARTICLE}/history/restore", article_history.restore_version, methods=POST),
    Route(f"{ARTICLE}/translations", article_history.show_translations),
    Route(f"{ARTICLE}/publish", article_page.publish, methods=POST),
    Route(f"{ARTICLE}/verify", article_page.verify, methods=POST),
    Route(f"{ARTICLE}/care", article_page.change_care, methods=POST),
    Route(f"{ARTICLE}/versions", article_page.change_versions, methods=POST),
    Route(f"{ARTICLE}/split", article_page.make_copy_for_version, methods=POST),
    Route(f"{ARTICLE}/unpublish", article_page.unpublish, methods=POST),
    Route(f"{ARTICLE}/archive", article_page.archive, methods=POST),
    Route(f"{ARTICLE}/discard", article_page.discard_changes, methods=POST),
    Route(f"{ARTICLE}/delete", article_page.ask_whether_to_delete),
    Route(f"{ARTICLE}/delete", article_page.delete, methods=POST),
    Route(f"{ARTICLE}/restore", article_page.restore, methods=POST),
    Route(f"{ARTICLE}/move", article_list.ask_where_to_move),
    Route(f"{ARTICLE}/move", article_list.move_to_collection, methods=POST),
    Route(f"{ARTICLE}/move/{{step}}", article_list.move_up_or_down, methods=POST),
    Route(f"{ARTICLE}/questions", article_page.add_question, methods=POST),
    Route(f"{ARTICLE}/questions/{{question_id}}/remove", article_page.remove_question, methods=POST),
    Route(COLLECTIONS, collection_pages.show_collections),
    Route(f"{COLLECTIONS}/new", collection_pages.show_new_collection),
    Route(f"{COLLECTIONS}/new", collection_pages.add_collection, methods=POST),
    Route(COLLECTION, collection_pages.show_collection),
    Route(COLLECTION, collection_pages.change_collection, methods=POST),
    Route(f"{COLLECTION}/move/{{step}}", collection_pages.move_collection_by_step, methods=POST),
    Route(f"{COLLECTION}/delete", collection_pages.ask_whether_to_delete_collection),
    Route(f"{COLLECTION}/delete", collection_pages.remove_collection, methods=POST),
    Route(PARTS, part_pages.show_parts),
    Route(f"{PARTS}/new", part_pages.show_new_part),
    Route(f"{PARTS}/new", part_pages.add_new_part, methods=POST),
    Route(PART, part_pages.show_part_page),
    Route(PART, part_pages.change_part_text, methods=POST),
    Route(f"{PART}/delete", part_pages.remove_part, methods=POST),
    Route(CHANGELOG, changelog_pages.show_changelog),
    Route(ENTRY, changelog_pages.show_entry),
    Route(f"{ENTRY}/publish", changelog_pages.publish_entry, methods=POST),
    Route(f"{ENTRY}/unpublish", changelog_pages.unpublish_entry, methods=POST),
    Route(f"{ENTRY}/archive", changelog_pages.archive_entry, methods=POST),
    Route(f"{ENTRY}/delete", changelog_pages.ask_whether_to_delete_entry),
    Route(f"{ENTRY}/delete", changelog_pages.delete_entry, methods=POST),
]
