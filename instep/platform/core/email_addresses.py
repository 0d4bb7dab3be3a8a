"""Validation of email addresses of people and visitors (RFC 5321)."""

import email_validator

from instep.platform.core import limits

# Companies use mail domains that are reserved for private networks, such as `.local` (RFC 6762).
email_validator.SPECIAL_USE_DOMAIN_NAMES.clear()


def is_email_address(text: str) -> bool:
    """True if this is an ASCII address at a domain name of several labels; DNS is not queried."""
    if len(text) > limits.MAX_EMAIL_CHARACTERS or not text.isascii():
        return False
    try:
        email_validator.validate_email(text, check_deliverability=False, strict=True)
    except email_validator.EmailNotValidError:
        return False
    return True
