"""Dates as people and servers write them, to ISO 8601."""

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Literal

DateOrder = Literal["day-first", "month-first"]

YEARS = (1900, 2099)
"""The years that a hand may be of; of two digits, 70–99 are 1970–1999 and 00–69 are 2000–2069."""
EXPECTED = "a date such as 28-11-2026 or 2026-11-28 that is in the calendar"

DAY_FIRST = (
    "dates are read with the day first, then the month ([dates] in a --map file can say otherwise)"
)

_MONTHS = {
    m: n
    for n, names in enumerate(
        ("jan", "feb", "mar maa mrt", "apr", "may mei", "jun", "jul", "aug", "sep", "oct okt",
         "nov", "dec"), 1
    )
    for m in names.split()
}  # fmt: skip
_MONTH = (
    r"(?:jan(?:uari|uary)?|feb(?:ruari|ruary)?|mrt|maart|mar(?:ch)?|apr(?:il)?|mei|may|june?|juni|"
    r"july?|juli|aug(?:ustus|ust)?|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"(?:ma|di|wo|do|vr|za|zo|mon?|tue?|wed?|thu?|fri?|sat?|sun?)[a-z]*\.?,?\s+"
_REST = r"(?:(?:T|,?\s+|,?\s+om\s+)(\d.*))?"
_I = re.IGNORECASE
_NUMERIC = re.compile(rf"(\d{{1,2}})([-./])(\d{{1,2}})\2(\d{{4}}|\d{{2}}){_REST}", _I)
_ISO = re.compile(rf"(\d{{4}})([-./])(\d{{1,2}})\2(\d{{1,2}}){_REST}", _I)
_BASIC = re.compile(rf"((?:19|20)\d{{2}})(\d{{2}})(\d{{2}}){_REST}", _I)
_NAMED = re.compile(rf"(\d{{1,2}})[ -]?({_MONTH})[ -]?(\d{{4}}|\d{{2}}){_REST}", _I)
_NAMED_FIRST = re.compile(rf"({_MONTH}) (\d{{1,2}}),? (\d{{4}}){_REST}", _I)
_CLOCK = re.compile(
    r"(\d{1,2})[:.](\d{2})(?:[:.](\d{2})((?:[.,]\d+)?))?"
    r"(?:\s*(am|pm)|\s*(?:uur|u\.?|h))?\s*(Z|[+-]\d{2}:?\d{2})?",
    _I,
)
_EPOCH = re.compile(r"\d{10}(?:\d{3})?(?:\.\d+)?")
_SERIAL = re.compile(r"[1-7]\d{4}(?:\.\d+)?")
_ANY = re.compile(
    r"(?<!\d)(?:\d{1,2}([-./])\d{1,2}\1(?:\d{4}|\d{2})|\d{4}([-./])\d{1,2}\2\d{1,2}|"
    rf"\d{{1,2}}[ -]{_MONTH}[ -]\d{{4}}|{_MONTH} \d{{1,2}},? \d{{4}})(?!\d)",
    _I,
)
_HALF = re.compile(rf"(?<![-/\d])\d{{1,2}}(?:\s?[-/]\s?\d{{1,2}}|[ -]{_MONTH})(?![-\w])", _I)
_LIKE = re.compile(rf"\d+\s*[-/.]\s*\d+\s*[-/.]\s*\d+|\d\s*{_MONTH}", _I)


def find_date(text: str) -> str | None:
    """The first date in a line of text, as it stands there.

    >>> find_date("Avond van 5 december 2026"), find_date("tafel 3-1")
    ('5 december 2026', None)
    """
    m = _ANY.search(text)
    return m[0] if m else None


def is_half_date(text: str) -> bool:
    """Whether a line of text names a day and no year, so that it says which evening begins.

    >>> is_half_date("Avond van 5 december"), is_half_date("tafel 3"), is_half_date("zat 5/12")
    (True, False, True)
    """
    return _ANY.search(text) is None and _HALF.search(text) is not None


def looks_like_date(text: str) -> bool:
    """Whether a text has the shape of a date, be it one that does not exist.

    >>> looks_like_date("31-02-2026"), looks_like_date("30 febr"), looks_like_date("12.5")
    (True, True, False)
    """
    return _LIKE.search(text) is not None


def clock_text(text: str) -> str | None:
    """A time of day as ``HH:MM``, with seconds and zone where they are told; ``None`` if none.

    >>> [clock_text(t) for t in ("9:05", "20.15 uur", "8:15 pm", "20:15:30.5Z", "25:61", "9")]
    ['09:05', '20:15', '20:15', '20:15:30.5Z', None, None]
    """
    m = _CLOCK.fullmatch(text.strip())
    if m is None:
        return None
    hour, minute, second = int(m[1]), int(m[2]), int(m[3] or 0)
    if m[5]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if m[5].lower() == "pm" else 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    seconds = f":{m[3]}{m[4].replace(',', '.')}" if m[3] else ""
    return f"{hour:02}:{minute:02}{seconds}{(m[6] or '').upper()}"


def epoch_text(text: str) -> str | None:
    """A moment in seconds or milliseconds since 1970 as ISO 8601, ``None`` for another number.

    >>> epoch_text("1795896900"), epoch_text("1795896900000"), epoch_text("12")
    ('2026-11-28T20:15:00Z', '2026-11-28T20:15:00Z', None)
    """
    if not _EPOCH.fullmatch(text):
        return None
    seconds = int(text[:10])
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def day_and_clock(texts: Iterable[str]) -> tuple[str, str]:
    """The first date and the first time of day among some cells, as they stand there.

    >>> day_and_clock(["20:15", "28-11-2026"]), day_and_clock(["", "gisteren"])
    (('28-11-2026', '20:15'), ('gisteren', ''))
    """
    day = clock = ""
    for text in map(str.strip, texts):
        if re.fullmatch(r"\d{1,2}[:.]\d{2}(?:[:.]\d.*|\D.*)?", text) and not looks_like_date(text):
            clock = clock or text
        else:
            day = day or text
    return day, clock


class Dates:
    """Reads the dates of one file; whether day or month comes first is settled once.

    ``order`` is what the user says; else a number above 12 settles it; otherwise the day comes
    first, as in the Netherlands, and :attr:`assumed` says so. :attr:`deciding` is a date that
    makes the month come first.

    >>> Dates(["3-11-2026"]).iso("3-11-2026"), Dates(["3/25/2026"]).iso("4/2/2026")
    ('2026-11-03', '2026-04-02')
    """

    def __init__(self, texts: Iterable[str], order: DateOrder | None = None) -> None:
        first = second = 0
        self.deciding = ""
        seen = numbers = others = False
        for text in texts:
            text = _undayed(text)
            m = _NUMERIC.fullmatch(text)
            if m:
                seen = True
                first, second = max(first, int(m[1])), max(second, int(m[3]))
                if int(m[3]) > 12:
                    self.deciding = m[0]
            if _SERIAL.fullmatch(text):
                numbers = True
            elif text:
                others = True
        self.month_first = order == "month-first" or (order is None and second > 12 and first <= 12)
        self.assumed = order is None and seen and first <= 12 and second <= 12
        self.serial = numbers and not others
        """Whether all are the numbers that Excel keeps for dates."""

    def iso(self, text: str) -> str | None:
        """The date as ``YYYY-MM-DD`` (with ``T`` and the time, if told); ``None`` if it is none.

        >>> Dates([]).iso("za 28-nov-26 om 20.15 uur"), Dates([]).iso("31-02-2026")
        ('2026-11-28T20:15', None)
        """
        text = _undayed(text)
        if self.serial and _SERIAL.fullmatch(text):
            # Excel counts the days from 1900 on, and 29 February of that year as one of them.
            found = date(1899, 12, 30) + timedelta(days=int(float(text)))
            return found.isoformat()
        if (m := _ISO.fullmatch(text)) is not None:
            parts, clock = (m[1], m[3], m[4]), m[5]
        elif (m := _BASIC.fullmatch(text)) is not None:
            parts, clock = (m[1], m[2], m[3]), m[4]
        elif (m := _NUMERIC.fullmatch(text)) is not None:
            day, month = (m[3], m[1]) if self.month_first else (m[1], m[3])
            parts, clock = (m[4], month, day), m[5]
        elif (m := _NAMED.fullmatch(text)) is not None:
            parts, clock = (m[3], _month(m[2]), m[1]), m[4]
        elif (m := _NAMED_FIRST.fullmatch(text)) is not None:
            parts, clock = (m[3], _month(m[1]), m[2]), m[4]
        else:
            return None
        year, month_no, day_no = map(int, parts)
        if len(parts[0]) == 2:
            year += 1900 if year >= 70 else 2000
        time = clock_text(clock) if clock else ""
        if time is None or not YEARS[0] <= year <= YEARS[1]:
            return None
        try:
            iso = date(year, month_no, day_no).isoformat()
        except ValueError:
            return None
        return f"{iso}T{time}" if time else iso


def _undayed(text: str) -> str:
    """A date without the name of its day before it."""
    return re.sub(rf"^{_DAY}", "", text.strip(), flags=_I)


def _month(word: str) -> str:
    return str(_MONTHS[word[:3].lower()])
