"""Board Game Arena logs as a user saved them: packets, notifications, suit numbers, players.

Containers: the archive (``{"status":1,"data":{"logs":[…]}}``), the live history
(``{"data":{"data":[…]}}``), the inner array alone, and a saved page with ``g_gamelogs = …;``.
Numbers come as texts or integers and ``args`` as ``[]`` or ``{}``; suits are numbered differently
by every game, so the numbers are learned from the suit signs that stand beside them.
"""

import html
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from engine.cards import CARD_INDEX, CARDS, SUITS
from parsers.base import Reject
from parsers.jsontext import (
    Broken,
    Key,
    Places,
    as_dict,
    as_int,
    as_list,
    as_text,
    dump,
    load,
    place,
    public,
)
from parsers.mapping import Mapping
from parsers.private import scrub, scrub_text, scrub_token
from parsers.words import fold

SPINE = frozenset({"data", "logs", "history"})
"""Keys along which a cut document still gives its complete packets."""

_PAGE = re.compile(r"g_gamelogs\s*=\s*(?=[\[{])")
_PAGE_GAME = re.compile(r"completesetup\(\s*[\"']([A-Za-z0-9_]{1,40})[\"']")
_ERROR = re.compile(r'\A\s*\{\s*"status"\s*:\s*"?0"?\s*,\s*"error"')
_CHANNEL = re.compile(r"/player/p?([0-9]{1,15})$")

_SIGNS = {"♠": 0, "♤": 0, "♥": 1, "♡": 1, "❤": 1, "♦": 2, "♢": 2, "♣": 3, "♧": 3, "☘": 3}
_SUIT_KEYS = ("card_color", "color", "suit", "type")
_RANK_KEYS = ("card_val", "value", "type_arg", "rank")
_RANKS = {14: "A", 1: "A", 13: "K", 12: "Q", 11: "J", 10: "T"} | {n: str(n) for n in (9, 8, 7, 6)}
_RANK_TEXTS = {
    "A": "A", "K": "K", "Q": "Q", "J": "J", "T": "T", "10": "T", "H": "K", "V": "Q", "B": "J",
    "9": "9", "8": "8", "7": "7", "6": "6",
}  # fmt: skip

_TYPES = {
    "deal": "dealcards newdeal startingnewhand newround newgamehand",
    "hand": "newhand yourhand dealhand myhand",
    "middle": "cardontop middlecard turnedcard turnup",
    "call": "updatebid bid playerbid makebid newbid",
    "pass": "pass playerpass passbid bidpass",
    "discard": "discardcard carddiscarded discard",
    "declare": "newtrump trump settrump trumpchosen calledcard callcard callace choosetrump",
    "play": "playcard cardplayed playedcard",
    "trick": "trickwin wintrick tricktaken",
    "claim": "roem stuk deny declareroem declarestuk announceroem announcestuk",
    "result": "handresult roundresult handscore",
    "clear": "clearturn cancelturn",
    "state": "gamestatechange",
    "ignore": "updatereflexiontime simplenode giveallcardstoplayer simplenote takecard "
    "takemiddle undorestorepoint",
}
_KINDS = {word: kind for kind, words in _TYPES.items() for word in words.split()}

TOLD_TWICE = ("call", "pass", "discard", "declare", "play")
"""Kinds of which a private and a public copy may stand in one file."""


class Fault(ValueError):
    """A notification that cannot be read: what was found, what was expected."""

    def __init__(self, found: Any, expected: str) -> None:
        super().__init__(expected)
        self.found = found if isinstance(found, str) else dump(scrub(found))
        self.expected = expected


@dataclass(frozen=True, slots=True)
class Note:
    """One notification: its kind in our words, arguments, and where it stands."""

    kind: str
    type: str
    args: dict[str, Any]
    packet: int
    index: int
    uid: str | None = None
    move: int | None = None
    private: int | None = None
    time: int | None = None
    bad: str = ""

    @property
    def player(self) -> int | None:
        """Id of the player it is about, if it names one."""
        return as_int(self.args.get("player_id"))


@dataclass(slots=True)
class Page:
    """One saved log: its text, the packets in it, and what it says of the players."""

    source: str
    text: str
    start: int = 0
    packets: list[Any] = field(default_factory=list)
    path: list[Key] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    listed: list[int] = field(default_factory=list)
    seats: list[int] = field(default_factory=list)
    suits: dict[int, int] = field(default_factory=dict)
    first_hand: int = 1
    of: int = 0
    """Of how many hands of a table this is the text of one; 0 for a whole log."""
    broken: Broken | None = None
    places: Places | None = None

    def place(self, note: Note | None) -> tuple[int, int]:
        """Line and column of a notification (of its packet where the packet is at fault)."""
        path = list(self.path)
        if note is not None:
            path += [note.packet, "data", note.index] if note.index >= 0 else [note.packet]
        if self.places is None:
            self.places = Places(self.text[self.start :])
        line, column = self.places.find(path)
        above, left = place(self.text, self.start)
        return (above + line - 1, column + (left - 1 if line == 1 else 0))

    def reject(
        self, note: Note | None, found: str, expected: str, raw: str, code: str = "unreadable"
    ) -> Reject:
        """A reject that names the place of a notification."""
        line, column = self.place(note)
        return Reject(
            self.source,
            line,
            column,
            scrub_token(found[:400], self.text, scrub_text(self.text)),
            expected,
            raw,
            code,
        )

    def raw(self, packets: list[Any], number: int, seats: list[int], of: int = 0) -> str:
        """Packets as a document this parser reads again.

        With the number of the hand, the players, and what only the whole file may have settled:
        who sits where, what the suit numbers stand for, and of how many hands this is one.
        """
        players = [{"id": i, "name": self.names.get(i, "")} for i in seats]
        doc: dict[str, Any] = {"status": 1, "handNo": number}
        if of:
            doc["hands"] = of
        if self.seats:
            doc["seats"] = self.seats
        if self.suits:
            doc["suits"] = {str(n): SUITS[s] for n, s in self.suits.items()}
        return public({**doc, "data": {"players": players, "logs": packets}})

    def between(self, notes: list[Note], before: Note | None, after: Note | None) -> list[Any]:
        """The packets of some notifications, without what they share with other hands.

        ``before`` is the last notification of the hand before, ``after`` the first one of the next.
        """
        first, last = notes[0], notes[-1]
        out = list(self.packets[first.packet : last.packet + 1])
        data = as_dict(out[-1]).get("data")
        if after is not None and after.packet == last.packet and isinstance(data, list):
            out[-1] = {**out[-1], "data": data[: max(after.index, 0)]}
        data = as_dict(out[0]).get("data")
        if before is not None and before.packet == first.packet and isinstance(data, list):
            out[0] = {**out[0], "data": data[max(first.index, 0) :]}
        return out


def looks_like(text: str) -> bool:
    """Whether a text has the marks of a Board Game Arena log, or of its answer that is an error."""
    if _PAGE.search(text) or _ERROR.match(text):
        return True
    return '"packet_id"' in text and '"move_id"' in text and '"channel"' in text


def open_page(source: str, text: str) -> tuple[Page, list[Reject]]:
    """The packets of a saved log; rejects for an error answer, another game, a broken text."""
    found = _PAGE.search(text)
    page = Page(source, text, found.end() if found else 0)
    whole = scrub_text(text, page.start)
    game = _PAGE_GAME.search(text) if found else None
    if game is not None and not fold(game[1]).startswith("pandoer"):
        expected = "a page of Pandoeren"
        return page, [page.reject(None, game[1], expected, whole[:2000], "other-game")]
    body = text[page.start :]
    end = _script_end(body) if found else len(body)
    loaded = load(body[:end], SPINE)
    rejects: list[Reject] = []
    doc = as_dict(loaded.value)
    error = as_text(doc.get("error"), 300)
    if error is not None and as_int(doc.get("status")) != 1:
        expected = f"a log; Board Game Arena answered: {error}"
        return page, [Reject(source, *page.place(None), "", expected, whole, "server-error")]
    page.broken = loaded.broken
    _find(loaded.value, page, [])
    if loaded.broken is not None and not (loaded.broken.cut and page.packets):
        at = page.start + loaded.broken.offset
        line, column = place(text, at)
        lost = scrub_text(text, at if page.packets else 0)
        token = scrub_text(text, at)[:20]
        rejects.append(Reject(source, line, column, token, f"JSON ({loaded.broken.what})", lost))
    elif not page.packets:
        rejects.append(page.reject(None, "", "packets with channel, move_id and data", whole))
    return page, rejects


def _script_end(body: str) -> int:
    """Where the value assigned in a page ends."""
    depth = 0
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', body):
        t = token.group()
        if t[0] != '"':
            depth += 1 if t in "{[" else -1
            if depth <= 0:
                return token.end()
    return len(body)


def _find(value: Any, page: Page, path: list[Key]) -> None:
    """Packets and players, wherever the container keeps them."""
    if isinstance(value, list):
        if any("data" in as_dict(p) and _is_packet(as_dict(p)) for p in value):
            page.packets, page.path = value, path
        return
    doc = as_dict(value)
    page.first_hand = as_int(doc.get("handNo")) or page.first_hand
    if isinstance(doc.get("handNo"), int):  # a text of ours: see Page.raw
        page.of = max(as_int(doc.get("hands")) or 0, 0)
        seats = [i for s in as_list(doc.get("seats")) if (i := as_int(s)) is not None]
        page.seats = seats if len(set(seats)) == len(seats) == 4 else page.seats
        for number, letter in as_dict(doc.get("suits")).items():
            n = as_int(number)
            if n is not None and isinstance(letter, str) and letter in tuple(SUITS):
                page.suits[n] = SUITS.index(letter)
    rows = doc.get("players")
    for row in as_dict(rows).values() if isinstance(rows, dict) else as_list(rows):
        ident, name = as_int(as_dict(row).get("id")), as_text(as_dict(row).get("name"))
        if ident is not None and ident not in page.listed:
            page.listed.append(ident)
            if name:
                page.names[ident] = name
    for key in ("data", "logs", "history"):
        if key in doc and not page.packets:
            _find(doc[key], page, [*path, key])


def _is_packet(doc: dict[str, Any]) -> bool:
    return any(k in doc for k in ("channel", "packet_id", "move_id"))


def notes_of(page: Page, user: Mapping) -> tuple[list[Note], Counter[str]]:
    """Notifications in order, each once, without those that were cancelled; and unknown types.

    A private and a public copy of one event share ``move_id``; ``clearTurn`` cancels by uid.
    """
    kinds = dict(_KINDS)
    for kind, words in user.moves.items():
        kinds |= {fold(w): kind for w in words}
    notes: list[Note] = []
    unknown: Counter[str] = Counter()
    seen: set[str] = set()
    copies: dict[tuple[Any, ...], int | None] = {}
    for p, packet in enumerate(page.packets):
        doc = as_dict(packet)
        if not isinstance(doc.get("data"), list):
            notes.append(Note("bad", "", {}, p, -1, bad="a packet with a list of data"))
            continue
        channel = _CHANNEL.search(str(doc.get("channel", "")))
        private = int(channel[1]) if channel else None
        for i, raw in enumerate(doc["data"]):
            event = as_dict(raw)
            word = event.get("type")
            if not isinstance(word, str):
                notes.append(Note("bad", "", {}, p, i, bad="a notification with a type"))
                continue
            uid = as_text(event.get("uid"))
            note = Note(
                kinds.get(fold(word), ""), word, as_dict(event.get("args")), p, i, uid,
                as_int(doc.get("move_id")), private, as_int(doc.get("time")),
            )  # fmt: skip
            if uid is not None and uid in seen:
                continue
            seen |= {uid} if uid is not None else set()
            if note.kind == "clear":
                notes = _cancel(notes, note)
                continue
            key = (note.move, note.kind, note.player, _spelled(note.args))
            if note.move is not None and note.kind in (
                "play",
                "discard",
                "declare",
                "call",
                "pass",
            ):
                if key in copies and copies[key] != private:
                    continue
                copies[key] = private
            if note.kind not in ("", "ignore"):
                notes.append(note)
            elif not note.kind and _spelled(note.args) != (None, None):
                unknown[as_text(word, 40) or "?"] += 1
    return notes, unknown


def _cancel(notes: list[Note], clear: Note) -> list[Note]:
    ids = clear.args.get("notifIds")
    rows = list(ids.values()) if isinstance(ids, dict) else as_list(ids)
    gone = {str(i) for i in rows}
    return [n for n in notes if n.uid is None or n.uid not in gone]


def _spelled(args: dict[str, Any]) -> tuple[int | None, int | None]:
    """Suit and rank numbers of the card that arguments name."""
    inner = as_dict(args.get("card")) or args
    suit = next((n for k in _SUIT_KEYS if (n := as_int(inner.get(k))) is not None), None)
    rank = next((n for k in _RANK_KEYS if (n := as_int(inner.get(k))) is not None), None)
    return suit, rank


@dataclass(slots=True)
class Code:
    """What the suit and rank numbers of one file stand for."""

    suits: dict[int, int] = field(default_factory=dict)
    ranks: dict[int, str] = field(default_factory=lambda: dict(_RANKS))

    def suit(self, args: dict[str, Any]) -> int | None:
        """The suit that arguments name, ``None`` if they name none."""
        number = _spelled(args)[0]
        if number is None:
            return _sign(args)
        if number not in self.suits:
            raise Fault(
                str(number),
                "a suit number that stands beside a suit sign somewhere in the file; or name it "
                "under [cards] suits in a --map file",
            )
        return self.suits[number]

    def knows(self, args: dict[str, Any]) -> bool:
        """Whether the suit that arguments name is known."""
        number = _spelled(args)[0]
        return number is None or number in self.suits

    def card(self, args: dict[str, Any]) -> int | None:
        """The card that arguments name, ``None`` where it is not shown."""
        inner = as_dict(args.get("card")) or args
        number = _spelled(inner)[1]
        suit = self.suit(inner)
        if suit is None or number is None:
            return None
        name = SUITS[suit] + self.ranks.get(number, "?")
        if name not in CARD_INDEX:
            raise Fault(f"{number} of {SUITS[suit]}", f"one of the {len(CARDS)} cards (6 to 14)")
        return CARD_INDEX[name]


def _sign(args: dict[str, Any]) -> int | None:
    text = args.get("card_type")
    if isinstance(text, str):
        for ch in html.unescape(text[:400]):
            if ch in _SIGNS:
                return _SIGNS[ch]
    return None


def learn(notes: list[Note], user: Mapping, told_suits: dict[int, int]) -> Code:
    """The suit and rank numbers of a file, from the signs and letters that stand beside them.

    ``told_suits`` are those of the file from which this text was taken (:meth:`Page.raw`).
    Raises :class:`Fault` when one number stands beside two signs. A fourth suit follows from
    the other three.
    """
    code = Code(dict(told_suits))
    told: dict[int, Counter[str]] = {}
    for note in notes:
        suit, rank = _spelled(note.args)
        sign = _sign(note.args)
        if suit is not None and sign is not None and code.suits.setdefault(suit, sign) != sign:
            raise Fault(
                str(suit), f"one suit for number {suit}; it stands for {SUITS[code.suits[suit]]} "
                f"and {SUITS[sign]}",
            )  # fmt: skip
        letter = _RANK_TEXTS.get(str(note.args.get("card_value", "")).strip().upper())
        if rank is not None and letter is not None:
            told.setdefault(rank, Counter())[letter] += 1
    code.ranks |= {n: letters.most_common(1)[0][0] for n, letters in told.items()}
    for text, suit_letter in user.cards.suits.items():
        if as_int(text) is not None:
            code.suits[int(text)] = SUITS.index(suit_letter)
    for text, rank_letter in user.cards.ranks.items():
        if as_int(text) is not None:
            code.ranks[int(text)] = rank_letter
    if len(set(code.suits.values())) != len(code.suits):
        raise Fault(dump({str(k): SUITS[v] for k, v in code.suits.items()}), "four different suits")
    used = {_spelled(n.args)[0] for n in notes}
    for note in notes:
        rows = note.args.get("cards")
        for row in as_dict(rows).values() if isinstance(rows, dict) else as_list(rows):
            used.add(_spelled(as_dict(row))[0])
    fourth = {n for n in used if n is not None and n not in code.suits}
    if len(code.suits) == 3 and len(fourth) == 1:
        code.suits[fourth.pop()] = ({0, 1, 2, 3} - set(code.suits.values())).pop()
    return code


def seating(page: Page, notes: list[Note], user: Mapping) -> tuple[list[int], bool]:
    """Player ids in the order N E S W, and whether the log itself shows who sits next to whom.

    The order is that of a trick or of the first round of the auction; the lowest id sits north,
    unless ``[seats] names`` of a ``--map`` file seats somebody.
    """
    for note in notes:
        name = as_text(note.args.get("player_name"))
        if note.player is not None and name and note.kind != "result":
            page.names.setdefault(note.player, name)
    rounds = [[n.player for n in notes if n.kind == "play"], [n.player for n in notes if n.kind in
              ("call", "pass")]]  # fmt: skip
    order: list[int] = []
    for actors in rounds:
        for i in range(0, len(actors) - 3, 4):
            four = [a for a in actors[i : i + 4] if a is not None]
            if not order and len(set(four)) == 4:
                order = four
    order = page.seats or order
    shown = bool(order)
    if not order:
        seen = {a for actors in rounds for a in actors if a is not None}
        known = page.listed if len(page.listed) == 4 else sorted(seen | set(page.names))
        order = known if len(known) == 4 else []
    if not order:
        return [], False
    at = order.index(min(order))
    for ident in order:
        for label in (str(ident), page.names.get(ident, "").casefold()):
            seat = user.seat_book().names.get(label)
            if seat is not None:
                at = (order.index(ident) - seat) % 4
    return order[at:] + order[:at], shown
