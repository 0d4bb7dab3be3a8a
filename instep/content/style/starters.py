"""Rules that a help center can begin with."""

from instep.content.style.schemas import StyleRule

STARTERS = (
    StyleRule(
        rule="Address the reader as “you”.",
        good="You can export your data.",
        bad="Users can export their data.",
    ),
    StyleRule(
        rule="Use the present tense.", good="Instep sends an email.", bad="An email will be sent by Instep."
    ),
    StyleRule(
        rule="Use the active voice: say who does what.",
        good="An owner invites members.",
        bad="Members are invited.",
    ),
    StyleRule(
        rule="Begin each step with a verb, and put one action into a step.",
        good="Open **Settings**.",
        bad="The **Settings** page should be opened, and then you press **Save**.",
    ),
    StyleRule(
        rule="Say where before you say what.",
        good="In **Billing**, select **Cancel**.",
        bad="Select **Cancel** in **Billing**.",
    ),
    StyleRule(
        rule="Write words of the user interface in bold, exactly as the page shows them.",
        good="Select **New article**.",
        bad="Select the new article button.",
    ),
    StyleRule(
        rule="Use plain words, without jargon and idioms.",
        good="Use the same settings again.",
        bad="Leverage your existing configuration.",
    ),
    StyleRule(
        rule="State facts, without praise and without “simply”, “just” or “easy”.",
        good="Press **Save**.",
        bad="Simply press **Save** to enjoy our powerful editor.",
    ),
    StyleRule(
        rule="Name the page that a link leads to.",
        good="See [Invite your team](/help/invite).",
        bad="Click [here](/help/invite).",
    ),
)
