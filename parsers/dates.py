"""Dates as people write them in score sheets, to ISO 8601."""

import re
from collections.abc import Iterable
from datetime import date

_NUMERIC = re.compile(r"(\d{1,2})([-./])(\d{1,2})\2(\d{4}|\d{2})(?:[ T](.*))?")
_ISO = re.compile(r"(\d{4})[-./](\d{1,2})[-./](\d{1,2})(?:[ T](.*))?")
_NAMED = re.compile(r"(\d{1,2})[ -]([A-Za-zëé]{3,9})\.?[ -](\d{4})")
_MONTHS = {
    m: n
    for n, names in enumerate(
        ("jan", "feb", "mar maa mrt", "apr", "may mei", "jun", "jul", "aug", "sep", "oct okt",
         "nov", "dec"), 1
    )
    for m in names.split()
}  # fmt: skip


_ANY = re.compile(
    r"(?<!\d)(?:\d{1,2}([-./])\d{1,2}\1(?:\d{4}|\d{2})|\d{4}[-./]\d{1,2}[-./]\d{1,2}|"
    r"\d{1,2}[ -](?:jan|feb|mar|maa|mrt|apr|may|mei|jun|jul|aug|sep|oct|okt|nov|dec)[a-z]*\.?[ -]"
    r"\d{4})(?!\d)",
    re.IGNORECASE,
)


def find_date(text: str) -> str | None:
    """The first date in a line of text, as it stands there.

    >>> find_date("Avond van 5 december 2026"), find_date("tafel 3-1")
    ('5 december 2026', None)
    """
    m = _ANY.search(text)
    return m[0] if m else None


class Dates:
    """Reads the dates of one file; whether day or month comes first is settled once.

    A number above 12 settles it; otherwise the day comes first, as in the Netherlands, and
    :attr:`assumed` says so.

    >>> Dates(["3-11-2026"]).iso("3-11-2026"), Dates(["3/25/2026"]).iso("4/2/2026")
    ('2026-11-03', '2026-04-02')
    """

    def __init__(self, texts: Iterable[str]) -> None:
        first = second = 0
        seen = False
        for text in texts:
            m = _NUMERIC.fullmatch(text.strip())
            if m:
                seen = True
                first, second = max(first, int(m[1])), max(second, int(m[3]))
        self.month_first = second > 12 and first <= 12
        self.assumed = seen and first <= 12 and second <= 12

    def iso(self, text: str) -> str | None:
        """The date as ``YYYY-MM-DD`` (with what follows it), or ``None`` if it is no date."""
        text = text.strip()
        clock = ""
        if m := _ISO.fullmatch(text):
            year, month, day, clock = int(m[1]), int(m[2]), int(m[3]), m[4] or ""
        elif m := _NUMERIC.fullmatch(text):
            one, two = int(m[1]), int(m[3])
            day, month = (two, one) if self.month_first else (one, two)
            year, clock = int(m[4]), m[5] or ""
            year += 2000 if year < 100 else 0
        elif m := _NAMED.fullmatch(text):
            day, year = int(m[1]), int(m[3])
            month = _MONTHS.get(m[2].lower()[:3], 0)
        else:
            return None
        try:
            found = date(year, month, day).isoformat()
        except ValueError:
            return None
        return f"{found}T{clock}" if clock else found
