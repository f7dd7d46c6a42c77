"""What a server's own game says through boardgame.io: its moves and the fields of its state.

The framework leaves names and shapes to the game. Known names are listed here, a ``--map`` file
adds others; cards and calls stay texts until the whole file's way of writing cards is known.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from parsers.boardgame_io_match import Entry
from parsers.jsontext import as_dict, as_int, as_list, dump
from parsers.mapping import Mapping as UserMap
from parsers.words import fold

_MOVES = {
    "call": "bid bied bod bieden shout makebid placebid dobid call roep",
    "pass": "pass pas passen ikpas dopass",
    "discard": "discard legaf legweg wegleggen afleggen leg bury discardcard",
    "declare": "declare settrump kiestroef callace choosetrump selecttrump trump troef noemaas "
    "vraagaas vraagmee meevragen callcard declaretrump annonceer",
    "play": "playcard speelkaart play speel legkaart kaartspelen",
    "claim": "roem stuk deny ontken meldroem meldstuk announceroem announce meld claim",
    "deal": "deal deel delen nexthand newhand nieuwspel volgendspel starthand startround nextround",
    "ignore": "ready klaar chat chatmessage emote takecard takemiddle pakkaart neemkaart sort "
    "sorteer sethand setname continue ok bevestig collecttrick haalslag",
}
_KINDS = {word: kind for kind, words in _MOVES.items() for word in words.split()}
_BIDDING = {"bidding", "bieden", "bieding", "auction", "bid", "deal", "deel", "delen"}
_CLAIMS = {"stuk": "stuk", "meldstuk": "stuk", "deny": "deny", "ontken": "deny"}

_FIELDS = {
    "card": "card kaart",
    "bid": "contract bid bod call type spel",
    "points": "points punten pts value waarde amount level hoogte",
    "trump": "trump troef suit kleur trumpsuit troefkleur",
    "called": "ace aas called calledcard calledace meegevraagd maat gevraagd askcard call",
    "discard": "discard disc weggelegd discarded afgelegd",
    "middle": "middle kijkkaart middencard middlecard kaartopen turnup talon",
    "dealer": "dealer gever deler",
    "player": "player speler seat playerid",
    "winner": "winner winnaar wonby",
    "hand": "hand handno handnr spelnr round ronde",
    "hands": "hands handen",
    "score": "scores score stand punten",
    "declarer": "declarer highbidder bieder",
}
_SUIT_KEYS = ("suit", "kleur", "s", "color", "colour", "soort")
_RANK_KEYS = ("rank", "waarde", "value", "r", "v", "face", "naam", "val")
_NEST_KEYS = ("card", "kaart", "code", "id", "name")


class BadMove(ValueError):
    """A move whose arguments say nothing that can be read; the text says what was expected."""


@dataclass(frozen=True, slots=True)
class Step:
    """One move as the game means it; cards, suits and calls still as texts.

    ``kind`` is ``call discard declare play claim deal``, ``undo`` (a move of the game's own that
    takes back) or ``phase`` (a bidding phase begins).
    ``None`` is a card the log does not show.
    """

    kind: str
    index: int
    player: Any = None
    turn: int | None = None
    card: str | None = None
    word: str = ""
    number: int | None = None
    trump: str | None = None
    called: str | None = None
    shown: str = ""


@dataclass(slots=True)
class Words:
    """Names of moves and fields: the known ones and the user's own."""

    moves: dict[str, str] = field(default_factory=dict)
    fields: dict[str, tuple[str, ...]] = field(default_factory=dict)
    calls: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, user: UserMap) -> "Words":
        """The names under a ``--map`` file; its own come first."""
        moves = dict(_KINDS)
        for kind, names in user.moves.items():
            moves |= {fold(n): kind for n in names}
        fields = {}
        for key, known in _FIELDS.items():
            own = tuple(fold(w) for w in user.fields.get(key, ()))
            fields[key] = own + tuple(known.split())
        return cls(moves, fields, user.calls)

    def find(self, obj: dict[str, Any], key: str) -> tuple[bool, Any]:
        """Whether an object has a field of our name ``key``, and its value."""
        names = {fold(k): k for k in obj}
        for word in self.fields[key]:
            if word in names:
                return True, obj[names[word]]
        return False, None

    def get(self, obj: dict[str, Any], key: str) -> Any:
        """Value of our field ``key`` in an object, or ``None``."""
        return self.find(obj, key)[1]


def card_text(value: Any) -> str | None:
    """A card as one text, suit first where it is an object; ``None`` for a hidden card.

    >>> card_text({"suit": "s", "rank": "10"}), card_text("hA"), card_text(None)
    ('s10', 'hA', None)
    """
    if value is None:
        return None
    if isinstance(value, str):
        return value[:64]
    obj = {k.lower(): v for k, v in as_dict(value).items()}
    suit = next((obj[k] for k in _SUIT_KEYS if k in obj), None)
    rank = next((obj[k] for k in _RANK_KEYS if k in obj), None)
    if _plain(suit) and _plain(rank):
        return f"{suit}{rank}"[:64]
    if obj and suit is None and rank is None:
        if any(k in obj for k in (*_SUIT_KEYS, *_RANK_KEYS)):
            return None
        for key in _NEST_KEYS:
            if isinstance(obj.get(key), (str, dict)):
                return card_text(obj[key])
    raise BadMove("a card, such as {suit, rank} or a text like HT")


def _plain(value: Any) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool) and value != ""


def holds_card(value: Any) -> bool:
    """Whether the arguments of an unknown move seem to be a card.

    >>> holds_card([{"suit": "s", "rank": "A"}]), holds_card(["hello"]), holds_card([3])
    (True, False, False)
    """
    items = value if isinstance(value, list) else [value]
    for item in items:
        obj = {k.lower() for k in as_dict(item)}
        if obj & set(_SUIT_KEYS) and obj & set(_RANK_KEYS):
            return True
    return False


def step_of(entry: Entry, words: Words) -> Step | None:
    """What a log entry means; ``None`` for a move that says nothing about the hand.

    Raises :class:`BadMove` for an entry that cannot be read, :class:`KeyError` for a move of an
    unknown name.
    """
    if entry.bad:
        raise BadMove(entry.bad)
    if entry.phase:
        return Step("phase", entry.index) if fold(entry.name) in _BIDDING else None
    word = fold(entry.name)
    kind = words.moves[word]
    if kind in ("ignore", "end", "hand", "middle", "trick", "result", "players"):
        return None
    args = _args(entry.args)
    base = {"index": entry.index, "player": entry.player, "turn": entry.turn}
    shown = f"{entry.name} {dump(entry.args)}"[:120]
    if kind == "undo":
        return Step("undo", shown=shown, **base)
    if kind == "pass":
        return Step("call", word="pas", shown=shown, **base)
    if kind == "call":
        if word in ("call", "roep") and args and holds_card(args[0]):
            return Step("declare", called=card_text(args[0]), shown=shown, **base)
        bid, number = _bid(args, words)
        return Step("call", word=bid, number=number, shown=shown, **base)
    if kind in ("discard", "play"):
        return Step(kind, card=_card(args, words), shown=shown, **base)
    if kind == "declare":
        trump, called = _declaration(word, args, words)
        return Step("declare", trump=trump, called=called, shown=shown, **base)
    if kind == "claim":
        what = _CLAIMS.get(word, "")
        if not what and args and isinstance(args[0], str):
            what = _CLAIMS.get(fold(args[0]), "")
        value = next((n for a in args if (n := _number(a, words)) is not None), None)
        if not what and (value is None or not 0 < value < 10000):
            raise BadMove("the number of points of a roem, or stuk, or deny")
        return Step("claim", word=what or "roem", number=value, shown=shown, **base)
    if kind == "deal":
        return Step("deal", shown=shown, **base)
    raise BadMove(f"a move that means one of {', '.join(sorted(set(_KINDS.values())))}")


def _args(args: Any) -> list[Any]:
    if args is None:
        return []
    return args if isinstance(args, list) else [args]


def _number(value: Any, words: Words) -> int | None:
    return as_int(words.get(value, "points") if isinstance(value, dict) else value)


def _bid(args: list[Any], words: Words) -> tuple[str, int | None]:
    word, number = "", None
    for arg in args:
        if isinstance(arg, dict):
            bid = words.get(arg, "bid")
            word = bid if isinstance(bid, str) else word
            number = as_int(bid) if as_int(bid) is not None else number
            points = as_int(words.get(arg, "points"))
            number = points if points is not None else number
        elif as_int(arg) is not None:
            number = as_int(arg)
        elif isinstance(arg, str) and not word:
            word = arg[:80]
        else:
            raise BadMove("a bid: the name of a contract, a number of points, or both")
    if not word and number is None:
        raise BadMove("a bid: the name of a contract, a number of points, or both")
    return word, number


def _card(args: list[Any], words: Words) -> str | None:
    if not args:
        return None
    first = args[0]
    if isinstance(first, dict):
        there, inner = words.find(first, "card")
        if there:
            first = inner
    return card_text(first)


def _declaration(word: str, args: list[Any], words: Words) -> tuple[str | None, str | None]:
    trump: Any = None
    called: Any = None
    first = args[0] if args else None
    if isinstance(first, dict) and not holds_card(first):
        trump, called = words.get(first, "trump"), words.get(first, "called")
    elif word in ("callace", "noemaas", "vraagaas", "vraagmee", "meevragen", "callcard"):
        called = first
    else:
        trump, called = first, args[1] if len(args) > 1 else None
    if trump is not None and not _plain(trump):
        raise BadMove("a trump suit")
    text = card_text(called)
    if text is not None and word in ("callace", "noemaas", "vraagaas") and len(text) == 1:
        text = f"{text}A"
    return None if trump is None else str(trump)[:64], text


@dataclass(slots=True)
class View:
    """What a state shows of the hand in play; everything optional, odd values left out."""

    dealer: Any = None
    hand_no: int | None = None
    middle: str | None = None
    hands: dict[str, list[str | None]] = field(default_factory=dict)
    bids: list[tuple[Any, str, int | None]] = field(default_factory=list)
    trump: str | None = None
    called: str | None = None
    discard: str | None = None
    plays: list[tuple[Any, str]] = field(default_factory=list)
    winners: list[Any] = field(default_factory=list)
    scores: list[int] = field(default_factory=list)

    def texts(self) -> Iterator[str]:
        """Every card text of the state."""
        for cards in self.hands.values():
            yield from (c for c in cards if c is not None)
        yield from (c for c in (self.middle, self.called, self.discard) if c is not None)
        yield from (c for _, c in self.plays)

    @property
    def in_play(self) -> bool:
        """Whether anybody has called or played."""
        return bool(self.bids or self.plays)


def view_of(g: dict[str, Any], words: Words) -> View:
    """The state ``G`` of a game, as far as its fields are known."""
    view = View(dealer=words.get(g, "dealer"), hand_no=as_int(words.get(g, "hand")))
    view.middle = _try_card(words.get(g, "middle"))
    declared = as_dict(g.get("decl")) or g
    trump = words.get(declared, "trump")
    view.trump = str(trump)[:64] if _plain(trump) else None
    view.called = _try_card(words.get(declared, "called"))
    secret = as_dict(g.get("secret"))
    view.discard = _try_card(words.get(g, "discard")) or _try_card(words.get(secret, "discard"))
    players = as_dict(g.get("players"))
    dealt: list[tuple[Any, Any]] = [(p, as_dict(row).get("hand")) for p, row in players.items()]
    hands = words.get(g, "hands")
    dealt += hands.items() if isinstance(hands, dict) else enumerate(as_list(hands))
    for ident, cards in dealt:
        if isinstance(cards, list):
            view.hands.setdefault(str(ident), [_try_card(c) for c in cards])
    for bid in as_list(g.get("bids")):
        try:
            word, number = _bid([bid], words) if bid != "pas" else ("pas", None)
        except BadMove:
            view.bids.clear()
            break
        view.bids.append((words.get(as_dict(bid), "player"), word, number))
    for trick in as_list(g.get("tricks")):
        _trick(as_list(as_dict(trick).get("cards")), view, words)
        view.winners.append(words.get(as_dict(trick), "winner"))
    _trick(as_list(g.get("trick")), view, words)
    if not view.plays:
        view.plays = [(None, c) for c in map(_try_card, as_list(g.get("played"))) if c]
    scores = as_list(words.get(g, "score"))
    numbers = [as_int(n) for n in scores]
    view.scores = [n for n in numbers if n is not None] if None not in numbers else []
    return view


def _trick(cards: list[Any], view: View, words: Words) -> None:
    for item in cards:
        there, card = words.find(as_dict(item), "card")
        text = _try_card(card if there else item)
        if text:
            view.plays.append((words.get(as_dict(item), "player"), text))


def _try_card(value: Any) -> str | None:
    """A card of a state; what is not one is left out (the state only confirms the log)."""
    try:
        return card_text(value)
    except BadMove:
        return None
