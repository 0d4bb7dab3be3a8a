"""Limits of the visitor API, of questions and answers, and of insights."""

from datetime import timedelta

# The visitor API.
MAX_VISITOR_BODY_BYTES = 64 * 1024
# How long a browser caches the response to a preflight request.
PREFLIGHT_CACHE_SECONDS = 600
# How long browsers use the widget's script without revalidation, and how much longer during it.
WIDGET_FRESH_SECONDS = 300
WIDGET_STALE_SECONDS = 86_400
# How long shared caches serve a public file without revalidation.
SHARED_CACHE_SECONDS = 300
# Origins of one bot.
MAX_ORIGINS = 50
# Refused origins that the widget's settings show.
MAX_REFUSED_ORIGINS = 10
MAX_COLOUR_CHARACTERS = 100
MAX_EMAIL_CHARACTERS = 254
MAX_VISITOR_MESSAGE_CHARACTERS = 2_000
# Leads per bot, over all visitors, and leads on the page of a conversation.
LEADS_PER_HOUR = 200
MAX_SHOWN_LEADS = 20

# Questions and answers.
MAX_QUESTION_CHARACTERS = 2_000
# Wordings stored for one unanswered question.
MAX_QUESTION_EXAMPLES = 5
# A visitor's identifier in a request; only a hash is stored.
MAX_VISITOR_CHARACTERS = 200
# The identifier of a question, with which it can be sent again without being asked twice.
MAX_QUESTION_ID_CHARACTERS = 100
MAX_PAGE_URL_CHARACTERS = 2_000
# Articles that a widget lists for a search, and for the current page.
WIDGET_SEARCH_RESULTS = 5
WIDGET_SUGGESTIONS = 4
MAX_VISITOR_TOKEN_CHARACTERS = 8_192
VISITOR_TOKEN_LEEWAY_SECONDS = 60
# Earlier questions of a conversation that a follow-up can refer to.
MAX_EARLIER_QUESTIONS = 3
# Passages retrieved for a question, passages compared to choose the best sections, and passages in an
# answer.
MAX_PASSAGES_RETRIEVED = 10
MAX_PASSAGES_COMPARED = 16
MAX_ANSWER_PASSAGES = 4
# Characters that a language model reads for a question: of one section, of the opening of its article, of the
# best article if it is read whole, of all sections, and of the table of contents; the articles in that table,
# the beginning of each that is searched for headings, and the sections that the model can ask for in full.
MAX_SECTION_CHARACTERS = 4_000
MAX_OPENING_CHARACTERS = 1_500
MAX_WHOLE_ARTICLE_CHARACTERS = 8_000
MAX_READ_CHARACTERS = 30_000
MAX_CONTENTS_CHARACTERS = 8_000
MAX_OUTLINED_ARTICLES = 100
MAX_OUTLINED_CHARACTERS = 20_000
MAX_SECTIONS_ASKED_FOR = 8
# The longest block of code in an answer.
MAX_ANSWER_CODE_CHARACTERS = 4_000
# Minimum probability (0 to 1) that the articles contain the answer; below it, a question is declined.
ANSWER_THRESHOLD = 0.5
# Minimum probability (0 to 1) at which an answer that declines names the nearest articles.
MAY_HELP_THRESHOLD = 0.2
# Words quoted from the best passage, words quoted for a how-to question, and words of a list quoted in
# full.
MAX_ANSWER_WORDS = 80
MAX_HOW_TO_WORDS = 120
MAX_ANSWER_LIST_WORDS = 260
# Share of a bot's daily token budget that visitors' questions may use; the rest is kept for tasks.
ANSWERS_BUDGET_SHARE = 0.5
MAX_ANSWER_TOKENS = 2_000
MAX_REWRITING_TOKENS = 300
# Interval of comments in an event stream: many proxies close a connection after a silent minute.
STREAM_HEARTBEAT_SECONDS = 10
CONVERSATION_RETENTION = timedelta(days=180)
# Longest term that is compared; longer ones are cut.
MAX_TERM_CHARACTERS = 100
# Golden questions of one bot; one run asks all of them.
MAX_GOLDEN_QUESTIONS = 500

# Insights: unanswered questions and the drafts made from them.
# Nearest articles stored with an unanswered question.
MAX_NEAREST_ARTICLES = 5
# Distinct visitors who must ask a question before it gets a draft; the maximum of such pending drafts of one
# bot; and the delay before new wordings are added to a pending draft.
MIN_GAP_VISITORS = 3
MAX_PENDING_GAP_DRAFTS = 50
GAP_DRAFT_REFRESH_DELAY = timedelta(hours=1)
# The draft of a paused workspace is tried again after this time.
PAUSED_GAP_RETRY_DELAY = timedelta(hours=1)
# Questions offered in the dashboard to merge one into.
MAX_SIMILAR_QUESTIONS = 20
# Later questions of the same conversations that a model reads for the draft of an unanswered question.
MAX_GAP_LATER_QUESTIONS = 10
# Notes of visitors who asked for a person after an unanswered question: their number, and their length.
MAX_GAP_NOTES = 3
MAX_GAP_NOTE_CHARACTERS = 300
# Sources of a new article: passages per wording of a question, and topics of the instructions.
MAX_SOURCES_PER_WORDING = 5
MAX_TOPICS_SEARCHED = 100
QUESTION_LOG_RETENTION = timedelta(days=180)
# Minimum share (0 to 1) of terms in common that makes two questions wordings of one.
MIN_SAME_QUESTION_OVERLAP = 0.66

# Insights: the health of articles.
# Problems with the same code in one article: how many are reported, how many lower the score.
MAX_REPORTED_PROBLEMS_PER_CODE = 20
MAX_SCORED_PROBLEMS_PER_CODE = 3
# Texts with fewer characters are reported as short. Spaces do not count; a Chinese character counts as 3.
SHORT_TEXT_CHARACTERS = 100
MAX_CHARACTERS_WITHOUT_HEADINGS = 3_000
MAX_LINKS_CHECKED = 500
# Texts with fewer words are not compared; texts of at least this similarity (0 to 1) are duplicates.
MIN_COMPARED_WORDS = 40
MIN_DUPLICATE_SIMILARITY = 0.8
STALE_EDIT_AGE = timedelta(days=14)
# An article counts as unhelpful when, within this window, at least this many answers citing it were rated bad
# and they are at least this share (0 to 1) of its ratings.
FEEDBACK_WINDOW = timedelta(days=90)
MIN_UNHELPFUL_RATINGS = 3
MIN_UNHELPFUL_SHARE = 0.5
# Newest reader comments per article in a list.
MAX_FEEDBACK_COMMENTS = 10
# Counted visits are written at this interval; at most this many counts wait while the database is away.
VISIT_COUNT_SECONDS = 5
MAX_UNWRITTEN_COUNTS = 100_000
# Characters of a search that are stored, and different searches stored per help center and day.
MAX_COUNTED_QUERY_CHARACTERS = 100
MAX_COUNTED_QUERIES_PER_DAY = 1_000
# Days that insights cover by default, and at most.
DEFAULT_VISIT_DAYS = 30
MAX_VISIT_DAYS = 366
# Articles are checked for a name for this long after a code change removed it.
REMOVED_NAME_RETENTION = timedelta(days=180)
MAX_ANALYZED_CHARACTERS = 300_000
MAX_ANALYSIS_SECONDS = 6
# A check of a help center occupies a database connection: its time, concurrent checks of one process, and the
# value of `Retry-After` for further ones.
CHECK_SECONDS = 20
MAX_CONCURRENT_CHECKS = 2
CHECK_RETRY_SECONDS = 5
# The dashboard examines up to this many articles while its page loads, and more of them in the background.
MAX_PROMPTLY_EXAMINED_ARTICLES = 100
# Cached analyses of articles in one process: memory, and problems.
MAX_ANALYSIS_CACHE_BYTES = 30_000_000
MAX_CACHED_PROBLEMS = 150_000
# Article lists whose last examined state a process remembers.
MAX_REMEMBERED_EXAMINATIONS = 10_000
