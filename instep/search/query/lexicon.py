"""Stop words of questions and synonyms, in the general English of help centers.

Both lists were written for no particular product; other languages have none.
"""

CONFIG = "english"

# Words of questions that say little about the answer, in addition to the stop words of PostgreSQL.
STOP_WORD_LIST = """
    able anybody anyone anything anyway anywhere ask available away best better cannot could different
    directly easy easily else ever everybody everyone everything exactly exist find get give go going
    good got happen have help hello hi instead keep kind know let like look lot make many maybe may
    might must need nice one only option otherwise people perhaps person please possible possibly
    properly reason right say see seem set shall simple simply somebody somehow someone something
    sometimes somewhere sort still sure take tell thank thanks thing think tried try unable use used
    user using want way will wish without wonder work would wrong yes yet
"""
STOP_WORDS = frozenset(STOP_WORD_LIST.split())

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
