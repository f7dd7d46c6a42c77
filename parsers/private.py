"""Private fields of logs: credentials, tokens and addresses never reach a record or raw text.

The one place that knows them, for every format: keys of JSON in any way of joining words
(``playerCredentials``), values that a cut file leaves open, JSON inside a cell of a table or inside
another text, columns of tables, and e-mail addresses anywhere.
"""

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

REMOVED = "[removed]"

_KEY = (
    r"credentials?|passwords?|passwd|wachtwoord|secret_?key|api_?key|token|access_?token|"
    r"auth_?token|refresh_?token|csrf_?token|session_?token|request_?token|authorization|cookies?|"
    r"e_?mail|mail|e_?mail_?address|e_?mail_?adres|phone|phone_?number|telefoon|telefoonnummer|tel|"
    r"telephone|mobile|mobiel|ip|ip_?address|birth_?date|date_?of_?birth|geboortedatum|iban|"
    r"address|adres"
)
_KEY_RE = re.compile(rf"(?:\w*_)?(?:{_KEY})", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_EMAIL = re.compile(r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}")

# A quoted key and its colon. Quotes are doubled inside a cell of a table and escaped inside a text.
_PAIR = re.compile(r"""(\\"|""|"|')((?:[^"'\\\n]|\\[^"'\n]){1,60})\1\s*:\s*""")
_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*(?:"|\Z)|\'(?:[^\'\\]|\\.)*(?:\'|\Z)|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL
)
_INNER_VALUE = re.compile(r"[\[{][^\]}]*[\]}]?|[^,}\]\s]*")


@lru_cache(maxsize=4096)
def is_private_key(key: str) -> bool:
    """Whether a field of this name holds something private, in whatever way its words are joined.

    >>> [is_private_key(k) for k in ("credentials", "playerCredentials", "E-mail", "secret")]
    [True, True, True, False]
    """
    return bool(_KEY_RE.fullmatch(re.sub(r"[-\s._]+", "_", _CAMEL.sub("_", key)).strip("_")))


def is_email(text: str) -> bool:
    """Whether a text holds an e-mail address.

    >>> is_email("jan@club.nl"), is_email("Jan @ home")
    (True, False)
    """
    return "@" in text and bool(_EMAIL.search(text))


def scrub(value: Any) -> Any:
    """A JSON value without its private fields, at any depth.

    >>> scrub({"players": {"0": {"name": "Anna", "playerCredentials": "x1"}}})
    {'players': {'0': {'name': 'Anna'}}}
    """
    if isinstance(value, dict):
        return {k: scrub(v) for k, v in value.items() if not is_private_key(str(k))}
    if isinstance(value, list):
        return [scrub(v) for v in value]
    return value


def scrub_text(text: str, start: int = 0) -> str:
    """A raw text, from ``start`` on, without the values of private fields and e-mail addresses.

    The text may be cut or broken, and ``start`` may lie in the middle of a private value.

    >>> scrub_text('{"name":"Anna","credentials":{"a":"x1"},"token":"un')
    '{"name":"Anna","credentials":"[removed]","token":"[removed]"'
    >>> scrub_text('1;"{""authToken"": ""x1""}";jan@club.nl')
    '1;"{""authToken"": ""[removed]""}";[removed]'
    >>> scrub_text('{"token": "abc', 11)
    '[removed]'
    """
    out, done = [], start
    for at, end, quote in _values(text):
        if end <= start:
            continue
        if at < done:  # ``start`` lies inside this value
            out.append(REMOVED)
        else:
            out += [text[done:at], quote, REMOVED, quote]
        done = end
    plain = "".join([*out, text[done:]])
    return _EMAIL.sub(REMOVED, plain) if "@" in plain else plain


def scrub_token(token: str, raw: str, clean: str) -> str:
    """A piece of ``raw`` that a message shows, where ``clean`` is ``raw`` without private values.

    >>> raw = '{"token": "abc'
    >>> scrub_token('"abc', raw, scrub_text(raw)), scrub_token("token", raw, scrub_text(raw))
    ('[removed]', 'token')
    """
    bare = token.strip().strip("\"'")
    return REMOVED if bare and bare in raw and bare not in clean else scrub_text(token)


def _values(text: str) -> Iterator[tuple[int, int, str]]:
    """Where values of private fields begin and end, and the quote that they are written with."""
    done = 0
    for pair in _PAIR.finditer(text):
        if pair.start() >= done and is_private_key(_plain(pair[2])):
            done = _end(text, pair.end(), pair[1])
            yield pair.end(), done, pair[1]


def _plain(key: str) -> str:
    """A key without the escapes of JSON."""
    if "\\" not in key:
        return key
    try:
        return str(json.loads(f'"{key}"'))
    except ValueError:
        return key


def _end(text: str, start: int, quote: str) -> int:
    """Where the value that begins at ``start`` ends (at the end of a text that is cut)."""
    if len(quote) == 2:
        if text.startswith(quote, start):
            end = text.find(quote, start + 2)
            return len(text) if end < 0 else end + 2
        inner = _INNER_VALUE.match(text, start)
        return inner.end() if inner else start
    depth = 0
    for token in _TOKEN.finditer(text, start):
        t = token.group()
        depth += (t in "{[") - (t in "}]")
        if depth < 0 or (depth == 0 and t in ",:"):
            return token.start()
        if depth == 0:
            return token.end()
    return len(text)
