"""Private fields of logs: credentials, tokens and addresses never reach a record or raw text."""

import re
from typing import Any

REMOVED = "[removed]"

_KEY = (
    r"credentials?|passwords?|passwd|wachtwoord|secret_?key|api_?key|token|access_?token|"
    r"auth_?token|refresh_?token|csrf_?token|session_?token|request_?token|authorization|cookies?|"
    r"e_?mail|mail|email_?address|emailadres|phone|telefoon|telephone|mobile|mobiel|"
    r"ip|ip_?address|birth_?date|geboortedatum|iban|address|adres"
)
_KEY_RE = re.compile(rf"(?:\w*[_-])?(?:{_KEY})", re.IGNORECASE)
_EMAIL = re.compile(r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}")
_PAIR = re.compile(
    rf"""(?P<head>["'](?:\w{{1,40}}[_-])?(?:{_KEY})["']\s*:\s*)"""
    r"""(?P<value>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|-?[\w.]+)""",
    re.IGNORECASE,
)


def is_private_key(key: str) -> bool:
    """Whether a field of this name holds something private.

    >>> is_private_key("credentials"), is_private_key("E-mail"), is_private_key("secret")
    (True, True, False)
    """
    return bool(_KEY_RE.fullmatch(key.replace("-", "_")))


def is_email(text: str) -> bool:
    """Whether a text holds an e-mail address.

    >>> is_email("jan@club.nl"), is_email("Jan @ home")
    (True, False)
    """
    return "@" in text and bool(_EMAIL.search(text))


def scrub_text(text: str) -> str:
    """A raw text without the values of private fields and without e-mail addresses.

    >>> scrub_text('{"name":"Anna","credentials":"x1"} jan@club.nl')
    '{"name":"Anna","credentials":"[removed]"} [removed]'
    """
    text = _PAIR.sub(rf'\g<head>"{REMOVED}"', text)
    return _EMAIL.sub(REMOVED, text) if "@" in text else text


def scrub(value: Any) -> Any:
    """A JSON value without its private fields, at any depth.

    >>> scrub({"name": "Anna", "credentials": "x1"})
    {'name': 'Anna'}
    """
    if isinstance(value, dict):
        return {k: scrub(v) for k, v in value.items() if not is_private_key(str(k))}
    if isinstance(value, list):
        return [scrub(v) for v in value]
    return value
