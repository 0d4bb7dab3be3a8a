"""The one rule for e-mail addresses, of people who sign in and of visitors who leave one (RFC 5321)."""

import email_validator

from instep.core import limits

# Companies have mail at names that are reserved for private networks, such as `.local` (RFC 6762).
email_validator.SPECIAL_USE_DOMAIN_NAMES.clear()


def is_email_address(text: str) -> bool:
    """Whether it is an ASCII address at a domain name of several labels; nothing is looked up."""
    if len(text) > limits.MAX_EMAIL_CHARACTERS or not text.isascii():
        return False
    try:
        email_validator.validate_email(text, check_deliverability=False, strict=True)
    except email_validator.EmailNotValidError:
        return False
    return True
