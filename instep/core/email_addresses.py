"""The one rule for e-mail addresses, of people who sign in and of visitors who leave one (RFC 5321)."""

from email_validator import EmailNotValidError, validate_email

from instep.core import limits


def is_email_address(text: str) -> bool:
    """Whether it is an ASCII address at a public domain name; nothing is looked up.

    Domains that are reserved for special use, such as `localhost` and `test`, are refused (RFC 6761).
    """
    if len(text) > limits.MAX_EMAIL_CHARACTERS or not text.isascii():
        return False
    try:
        validate_email(text, check_deliverability=False, strict=True)
    except EmailNotValidError:
        return False
    return True
