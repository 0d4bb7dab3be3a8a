"""Stop words of questions and synonyms, in the general English of help centers.

Both lists were written for no particular product; other languages have none.
"""

from instep.text.terms import stop_words

CONFIG = "english"

# Words of questions that say little about the answer, in addition to the stop words of PostgreSQL.
STOP_WORDS = stop_words("search_query")

# The words of one line are synonyms of each other.
SYNONYMS = tuple(
    line.split()
    for line in """
    access reach
    activate enable
    add create make
    alert notification notify
    allow permit
    app application
    automatic automatically schedule
    avatar picture
    backup export
    backup restore
    begin start
    bill invoice
    block prevent stop
    buy purchase
    cancel terminate
    change edit modify update
    chat conversation
    choose pick select
    clip video
    clone copy duplicate
    color colour
    combine join merge
    conceal hide
    config configuration
    connect link
    cost price pricing
    deactivate disable
    delete erase remove
    directory folder
    display show view
    doc document
    e-mail email mail
    error failure issue problem
    execute run
    find locate search
    image photo picture
    install installation
    limit maximum quota
    login logon signin
    mail message
    migrate move transfer
    mobile phone
    options preferences settings
    owner ownership
    performance slow
    permission role
    recover restore undelete
    release version
    repo repository
    revert undo
    save store
    secure security
    sheet spreadsheet
    site website
    """.strip().splitlines()
)
WORDS = STOP_WORDS | {word for line in SYNONYMS for word in line}
