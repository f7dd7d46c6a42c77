"""The evening report: figures worked out by hand, nothing foreign taken for markup."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote

import pytest

from pandoeren_replay.report import evening_report, plain
from pandoeren_replay.statistics.evening import may_have_decided, words
from pandoeren_replay.store import Store, StoreError
from tests.statistics.conftest import PLAYED, SHEET, make_store

HOSTILE = "<script>alert('x')</script><img src=x onerror=y>|`[a](http://evil)*_"


_TAGS = """html head meta title style body h1 h2 p b ul li table thead tbody tr th td figure
figcaption svg rect text tspan line polyline"""
_ATTRIBUTES = """lang charset http-equiv content name class xmlns viewbox role aria-label
font-family font-size font-weight text-decoration text-anchor x y x1 y1 x2 y2 rx width height fill
stroke stroke-width stroke-dasharray points"""
ALLOWED_TAGS, ALLOWED_ATTRIBUTES = set(_TAGS.split()), set(_ATTRIBUTES.split())


class Tags(HTMLParser):
    """Tags and attributes of a page as a browser sees them, and tags left open."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {k for k, _ in attrs}
        for k, v in attrs:
            assert k == "xmlns" or not (v or "").startswith(("http", "javascript", "data"))
        if tag not in ("meta", "rect", "line", "polyline"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("meta", "rect", "line", "polyline"):
            assert self.open.pop() == tag


def test_the_played_session(club: Store) -> None:
    e = evening_report(club, "played", "en").evening
    # N and E move together: 2 -2 1 -2 -3 -3, so -7 each; S and W stay at 0.
    assert [(s.place, s.name, s.total, s.declared, s.made, s.as_partner) for s in e.standings] == [
        (1, "Cor", 0, 0, 0, 0), (1, "Dirk", 0, 0, 0, 0), (3, "Anna", -7, 6, 2, 0),
        (3, "Bas", -7, 0, 0, 6),
    ]  # fmt: skip
    assert e.best is not None
    assert (e.best[0].number, e.best[1]) == ("1", 0)  # +2 for Anna
    assert e.worst is not None
    assert e.worst[0].booked.change[e.worst[1]] == -3
    # The widest swings: 3 in hands 5 and 6, then 2 in 1, 2 and 4, of which the latest.
    assert [t.line.number for t in e.turning] == ["4", "5", "6"]
    # P5 180: 146 in the end; lost once fewer than 180 can be had, which is in the first trick:
    # the pack holds 146, and N may still say roem 140 and stuk 20 only until his second card.
    assert all(t.moment is not None for t in e.turning)
    # 160 roem and 20 stuk of Anna in P1.
    assert e.roem is not None
    assert (e.roem.value, e.roem.line.number, e.roem.seats) == (180, "1", (0,))
    # The revoke of P5 was in a trick of no points, 34 short of the bid.
    assert e.mattered == ()
    assert [v.code for _, v in e.other_faults] == ["revoke"]
    assert [v.code for _, v in e.mismatches] == ["result-mismatch"]


def test_a_broken_rule_that_could_have_decided(tmp_path: Path) -> None:
    # P5 bid as 150 instead of 180: 4 short, and still no points in that trick.
    text = PLAYED[4].replace(" 180,", " 150,").replace(" made", " .")
    store = make_store(tmp_path / "a", f"{text} n=A;session=s;id=1\n")
    hand = store.replay("1")
    revoke = next(v for v in hand.violations if v.code == "revoke")
    assert not may_have_decided(hand, revoke)
    # The same revoke with CA on it: W takes 11 points, and the side is 15 short of 150.
    text = text.replace("C7H8D7C8/", "C7H8D7CA/").replace("STHADACA", "STHADAC8")
    store = make_store(tmp_path / "b", f"{text} n=A;session=s;id=1\n")
    hand = store.replay("1")
    assert hand.outcome.points == (135, 11)
    revoke = next(v for v in hand.violations if v.code == "revoke")
    assert not may_have_decided(hand, revoke)  # 15 is more than the 11 of the trick
    text = text.replace(" 150,", " 140,")
    store = make_store(tmp_path / "c", f"{text} n=A;session=s;id=1\n")
    hand = store.replay("1")
    revoke = next(v for v in hand.violations if v.code == "revoke")
    assert may_have_decided(hand, revoke)  # 5 short, 11 in the trick


def test_a_call_without_effect_decides_nothing(tmp_path: Path) -> None:
    # S bids 130 over 150: flagged, and the auction goes on as if nothing was said.
    text = PLAYED[3].replace("150,-,-,-", "150,-,130,-,-")
    store = make_store(tmp_path / "store", f"{text} n=A;session=s;id=1\n")
    hand = store.replay("1")
    low = next(v for v in hand.violations if v.code == "bid-too-low")
    assert hand.outcome.made is False
    assert not may_have_decided(hand, low)


def test_a_sheet_without_cards(club: Store) -> None:
    report = evening_report(club, "sheet0", "en")
    e = report.evening
    # Booked as recorded: N 1 - 3 + 3, E 1, S 2 - 1, W 2 - 1.
    assert [(s.name, s.total) for s in e.standings] == [
        ("Anna", 1), ("Bas", 1), ("Cor", 1), ("Dirk", 1),
    ]  # fmt: skip
    assert all(t.moment is None for t in e.turning)
    assert e.roem is None
    assert "made (as recorded)" in report.html()
    assert "No meld was announced" in report.markdown()


@pytest.mark.parametrize("lang", ["nl", "en"])
def test_nothing_foreign_is_markup(tmp_path: Path, lang: str) -> None:
    name = quote(HOSTILE)
    lines = [
        f"{hand} id={i};n={name};e={name}2;s=Cor;w=Dirk;session={name};event={name};hand={i}"
        for i, hand in enumerate((*SHEET, *PLAYED))
    ]
    store = make_store(tmp_path / "store", "\n".join(lines) + "\n")
    report = evening_report(store, HOSTILE, lang)  # type: ignore[arg-type]
    page = report.html()
    assert f'<html lang="{lang}">' in page
    assert "<script" not in page
    assert "<img" not in page
    assert page.count("<svg") == 1 + sum(t.moment is not None for t in report.evening.turning)
    # Self-contained: only these tags and attributes, no address but the name of the SVG language.
    found = Tags()
    found.feed(page)
    assert found.names <= ALLOWED_TAGS
    assert found.attributes <= ALLOWED_ATTRIBUTES
    assert found.open == []
    assert "default-src 'none'" in page
    assert "size: A4" in page
    text = report.markdown()
    assert not re.search(r"(?<!\\)<", re.sub(r"^> ", "", text, flags=re.M))
    assert not re.search(r"(?<!\\)`", text)
    widths = {}
    for line in text.splitlines():
        if line.startswith("|"):
            cells = len(re.findall(r"(?<!\\)\|", line))
            widths.setdefault(cells, line)
    assert len(widths) == 2  # two tables, each of one width


def test_both_languages_say_the_same_things() -> None:
    nl, en = words("nl"), words("en")
    assert nl.keys() == en.keys()
    for key, text in nl.items():
        places = re.findall(r"{(\w+)}", text)
        assert sorted(places) == sorted(re.findall(r"{(\w+)}", en[key])), key


def test_dutch_and_english(season: Store) -> None:
    nl = evening_report(season, "2026-05-28-A").html()
    assert "Eindstand" in nl
    assert "De spellen die de avond beslisten" in nl
    assert "Gesimuleerd: deze spellen heeft niemand gespeeld." in nl
    en = evening_report(season, "2026-05-28-A", "en").html()
    assert "Final standings" in en
    assert "Nobody" not in en.split("</head>")[0]


def test_hands_after_the_end_do_not_count(season: Store) -> None:
    found = season.rows("SELECT session FROM sessions WHERE list_contains(rules, 'fiches')")
    ended = 0
    for row in found[:6]:
        e = evening_report(season, row["session"], "en").evening
        counted = [x for x in e.sheet.lines if not x.after_end]
        assert {s.total for s in e.standings} == set(counted[-1].booked.balance)
        ended += len(counted) < len(e.sheet.lines)
    assert ended


def test_an_unknown_session(club: Store) -> None:
    with pytest.raises(StoreError, match="there is no session 'nope'"):
        evening_report(club, "nope")


def test_plain_text_stays_plain() -> None:
    assert plain("a|b") == "a\\|b"
    assert plain("x\n# y") == "x \\# y"
