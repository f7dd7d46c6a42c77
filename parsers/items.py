"""Events of a generic log as items: one kind, its fields under any of their names, its place.

JSON events and table rows both become :class:`Item`; :mod:`parsers.fold` makes hands of them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from parsers.mapping import Mapping
from parsers.words import fold

_KINDS = {
    "deal": "deal deel geven gift newhand nieuwehand starthand handstart deling",
    "hand": "hand handkaarten dealt cards kaarten gegeven",
    "middle": "middle middencard kijkkaart midden turnup upcard middlecard",
    "call": "call bid bied bieden bod shout roep bidding geboden",
    "pass": "pass pas passen gepast past",
    "discard": "discard legaf legweg afleggen weggelegd weggooien exchange ruil ruilen",
    "declare": "declare declaration kiestroef settrump callace troef trump called meegevraagd "
    "vraagmee contract verklaren",
    "play": "play playcard speelkaart speel spelen card kaart gespeeld played",
    "trick": "trick slag trickend wintrick",
    "claim": "claim meld melding announce announcement",
    "roem": "roem",
    "deny": "deny ontken ontkennen",
    "stuk": "stuk",
    "show": "show toon laagste",
    "run": "run reeks sequence",
    "set": "set carre",
    "undo": "undo terug terugnemen takeback ongedaan",
    "result": "result uitslag resultaat score scores handend",
    "end": "end einde finish finished gameover over",
    "players": "players spelers names namen seating header",
    "ignore": "ignore take neem neemt pakt join leave connect disconnect ping chat timer start",
}
_FIELDS = {
    "event": "e event gebeurtenis action actie move zet type",
    "seat": "seat stoel plaats who wie positie position speler player by door",
    "player": "player speler name naam spelernaam playername",
    "card": "card kaart kaarten cards",
    "cards": "cards kaarten card kaart hand",
    "hands": "hands handen",
    "middle": "middle kijkkaart midden middlecard",
    "dealer": "dealer gever deler",
    "bid": "bid bod call bieding contract",
    "points": "points punten level hoogte",
    "trump": "trump troef trumps suit kleur",
    "called": "called call ace aas meegevraagd mee calledcard gevraagd vraag",
    "discard": "discard weggelegd weg afgelegd",
    "winner": "winner winnaar won",
    "leader": "leader lead first uitkomst voorhand",
    "declarer": "declarer spelende speler bieder",
    "partner": "partner maat mede medespeler",
    "contract": "contract bod bid",
    "outcome": "made outcome result uitslag resultaat gehaald geslaagd gemaakt",
    "lost": "lost",
    "score": "score scores cents centen chips fiches",
    "tricks": "tricks slagen",
    "value": "value waarde roem points punten",
    "kind": "kind soort what wat",
    "game": "game table tafel match partij potje gameid tableid",
    "hand": "hand handno handnr spelnr spel deal board",
    "time": "t time tijd timestamp date datum moment",
    "id": "id handid",
    "rules": "rules regels ruleset spelregels",
    "site": "site server club",
    "session": "session avond sessie",
    "extra": "extra opmerking note comment info",
    "conceded": "conceded opgegeven",
    "north": "north noord n",
    "east": "east oost e o",
    "south": "south zuid s z",
    "west": "west w",
    "score_declarer": "scoredeclarer scorespeler scorespelende",
    "score_partner": "scorepartner scoremaat",
}

_KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words.split()}
FIELD_WORDS = {name: tuple(words.split()) for name, words in _FIELDS.items()}


@dataclass(slots=True)
class Item:
    """One event: its line (from 1), its kind (``""`` unknown), its fields by folded name.

    ``joined`` says that it belongs to the hand of the event before it, whatever that holds.
    """

    line: int
    kind: str
    fields: dict[str, Any]
    raw: str
    names: "Names"
    word: str = ""
    joined: bool = False

    def get(self, name: str) -> Any:
        """Value of a field under any of its names, or ``None`` (empty texts count as absent)."""
        for alias in self.names.of(name):
            value = self.fields.get(alias)
            if value is not None and value != "":
                return value
        return None

    def has(self, name: str) -> bool:
        """Whether a field stands there at all, be it ``null``."""
        return any(alias in self.fields for alias in self.names.of(name))

    def text(self, name: str) -> str | None:
        """A field as text, or ``None``; lists and objects are no text."""
        value = self.get(name)
        if value is None or isinstance(value, (list, dict)):
            return None
        return str(value).strip() or None


@dataclass(slots=True)
class Names:
    """Our names of events and fields, with the user's own words from a ``--map`` file first."""

    mapping: Mapping
    _fields: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _moves: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for kind, words in self.mapping.moves.items():
            for word in words:
                self._moves[fold(word)] = kind

    def of(self, name: str) -> tuple[str, ...]:
        """Folded names under which a field may stand."""
        found = self._fields.get(name)
        if found is None:
            own = [*self.mapping.fields.get(name, ()), *self.mapping.columns.get(name, ())]
            found = (*map(fold_key, own), *FIELD_WORDS.get(name, (fold_key(name),)))
            self._fields[name] = found
        return found

    def kind(self, word: str) -> str:
        """Our kind of an event word, ``""`` if it is not known."""
        plain = fold(word)
        return self._moves.get(plain) or _KIND_OF.get(plain, "")

    def item(self, data: dict[str, Any], line: int, raw: str) -> Item:
        """An item from one JSON object or table row."""
        fields = {fold_key(k): v for k, v in data.items()}
        item = Item(line, "", fields, raw, self)
        for alias in self.of("event"):
            word = fields.get(alias)
            if isinstance(word, str) and word.strip():
                item.word = word.strip()
                item.kind = self.kind(word)
                break
        return item


@lru_cache(maxsize=4096)
def fold_key(key: str) -> str:
    """A field name in lower case without spaces, hyphens and underscores.

    >>> fold_key("Hand No."), fold_key("speler_naam")
    ('handno', 'spelernaam')
    """
    return fold(key)


@dataclass(slots=True)
class Group:
    """The items of one hand, with what stood in the head of the file when it began."""

    head: dict[str, Any]
    head_raw: str = ""
    key: tuple[str, str] | None = None
    items: list[Item] = field(default_factory=list)
    cut: str | None = None
    error: tuple[int, int, str, str] | None = None
    _done: list[str] = field(default_factory=list)
    _kinds: set[str] = field(default_factory=set)
    closed: bool = False

    @property
    def plays(self) -> int:
        """Cards on the table, undone ones left out."""
        return self._done.count("play")

    def add(self, item: Item) -> None:
        """Append an item and keep count of what was undone."""
        self.items.append(item)
        self._kinds.add(item.kind)
        if item.kind == "undo":
            if self._done:
                self._done.pop()
        elif item.kind in ("call", "pass", "discard", "declare", "play"):
            self._done.append(item.kind)
        if item.kind in ("result", "end"):
            self.closed = True

    def begins_anew(self, item: Item) -> bool:
        """Whether an item without a hand number belongs to the next hand."""
        kind = item.kind
        if not self.items:
            return False
        if kind == "deal":
            return bool("deal" in self._kinds or self._done) or self.closed
        if kind in ("hand", "middle"):
            return self.closed or self.plays >= 32
        if kind in ("call", "pass"):
            return self.closed or self.plays > 0
        if kind in ("discard", "declare", "play"):
            return self.closed or self.plays >= 32
        return False


def cut_groups(items: Iterable[Item], head: dict[str, Any], head_raw: str = "") -> list[Group]:
    """Items by hand: by table and hand number where rows carry them, else where a deal begins.

    A ``players`` item (or a header line) changes the head for the hands that follow.
    """
    groups: list[Group] = []
    by_key: dict[tuple[str, str], Group] = {}
    current: Group | None = None
    for item in items:
        if item.kind == "players":
            whole = "format" in item.fields
            head = dict(item.fields) if whole else {**head, **item.fields}
            head_raw = item.raw if whole else f"{head_raw}\n{item.raw}".strip()
            if whole:
                current = None
            continue
        if item.joined and current is not None:
            current.add(item)
            continue
        game, hand = item.text("game"), item.text("hand")
        group = current
        if hand is not None and (item.kind != "hand" or " " not in hand):
            key = (game or "", hand)
            group = by_key.get(key)
            # Numbers that begin again (the next evening) are another hand.
            if group is not None and (item.kind == "deal" or group is not current or group.closed):
                group = None if group.begins_anew(item) else group
            if group is None:
                group = Group(head, head_raw, key)
                groups.append(group)
                by_key[key] = group
        elif current is None or ((current.key is None or not hand) and current.begins_anew(item)):
            group = Group(head, head_raw)
            groups.append(group)
        if group is None:
            group = Group(head, head_raw)
            groups.append(group)
        group.add(item)
        current = group
    return groups
