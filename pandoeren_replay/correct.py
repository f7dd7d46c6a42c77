"""Correcting a stored hand: its text is edited, judged once more and stored as a new version."""

from dataclasses import dataclass, replace

from engine.record import HandRecord
from engine.replay import replay
from engine.rulefile import BUILTIN_IDS, DEFAULT_ID, load_ruleset
from engine.ruleset import RuleSet
from engine.state import Replay
from pandoeren_replay.export import named
from pandoeren_replay.importer import collect
from pandoeren_replay.store.errors import StoreError
from pandoeren_replay.store.generations import Unchanged
from pandoeren_replay.store.store import Store
from pandoeren_replay.store.versions import replace_hand, restore
from pandoeren_replay.store.writer import Batch, hash_rows, write_batch
from parsers.base import Located, Options, ParseResult, Reject
from parsers.phn import read_phn, write_phn

LONGEST = 50_000
SOURCE = "correction"


class CorrectionError(ValueError):
    """Why a text is not stored; ``code`` names the sentence, ``str()`` says it in English.

    Codes: ``unreadable``, ``several``, ``rules``, ``same``, ``taken``, ``changed``.
    """

    def __init__(self, code: str, sentence: str, reject: Reject | None = None) -> None:
        super().__init__(sentence)
        self.code, self.reject = code, reject


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that can be read: the record, its replay, the text."""

    record: HandRecord
    played: Replay
    text: str


def text_of(store: Store, hand: str | int) -> str:
    """A stored hand as text to edit, with what other sources add about who, when and where."""
    number = hand if isinstance(hand, int) else store.find(hand)
    row = store.row(number)
    record = named(store.record(number), row["rules"], row["rules_hash"])
    seen = store.rows("SELECT * FROM hands WHERE hand_id = ?", [number])[0]
    columns = {
        "n": "north", "e": "east", "s": "south", "w": "west", "date": "date_text",
        "event": "event", "site": "site", "session": "session", "hand": "hand",
    }  # fmt: skip
    added = {k: str(seen[c]) for k, c in columns.items() if seen[c] and record.get(k) is None}
    return write_phn(record.with_meta(**added))


def read_draft(store: Store, hand: int, text: str) -> Draft:
    """Read and judge an edited text; raises :class:`CorrectionError`."""
    # Which rules may be named is judged here, not by the reader: the hand's own count as well.
    result = read_phn(text[:LONGEST], SOURCE, Options(rules=DEFAULT_ID))
    if result.rejects:
        first = result.rejects[0]
        raise CorrectionError("unreadable", str(first), first)
    if not result.hands:
        raise CorrectionError("unreadable", "there is no hand in this text")
    if len(result.hands) > 1:
        raise CorrectionError("several", f"{len(result.hands)} hands, expected one")
    record = result.hands[0].record
    return Draft(record, replay(record, _rules(store, hand, record)), text)


def _rules(store: Store, hand: int, record: HandRecord) -> RuleSet:
    """The rules that the text names: the hand's own as they were kept, or built-in ones."""
    own = store.rules_of(hand)
    if record.rules in (None, own.id) and record.rules_hash in (None, own.content_hash):
        return own
    if record.rules in BUILTIN_IDS:
        return load_ruleset(str(record.rules))
    known = f"{own.id}, {', '.join(BUILTIN_IDS)}"
    raise CorrectionError("rules", f"found {record.rules!r}, expected one of {known}")


class _Fixed:
    """The rules that a draft was judged by."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules

    def find(self, record: HandRecord) -> RuleSet:
        """Always the same."""
        return self._rules


def correct(store: Store, hand: int, text: str) -> int:
    """Store an edited text as the new version of a hand; the number of the hand from now on.

    Raises :class:`CorrectionError` where the text cannot be read or changes nothing,
    :class:`StoreError` where the store cannot be written.
    """
    from pandoeren_replay import __version__

    draft = read_draft(store, hand, text)
    record = draft.record
    if record.rules is None:
        record = replace(record, rules=draft.played.rules.id)
    located = Located(record, SOURCE, 1, draft.text, format="phn")
    batch = Batch()
    collect(
        batch,
        ParseResult(hands=[located], format="phn"),
        _Fixed(draft.played.rules),  # type: ignore[arg-type]
        Options(),
        lambda what, done, of: None,
        1,
    )
    if batch.rejects or not batch.sources:
        first = batch.rejects[0] if batch.rejects else None
        raise CorrectionError("unreadable", str(first or "a hand without call or card"), first)
    hashed = hash_rows(batch)
    content = hashed[0][0]
    new = -1
    with store.writing() as con:
        if not con.execute("SELECT 1 FROM hand WHERE hand_id = ?", [hand]).fetchall():
            raise CorrectionError("changed", "the hand was changed by somebody else meanwhile")
        same = con.execute("SELECT hand_id, hash FROM hand WHERE hash = ?", [content]).fetchall()
        if same and same[0][0] != hand:
            raise CorrectionError("taken", f"hand {same[0][0]} says just this already")
        if same:
            raise CorrectionError("same", "the text says what is stored already")
        before = con.execute(
            "SELECT version FROM hand_version WHERE hash = ? AND replaced_by = ? AND rule = ''",
            [content, hand],
        ).fetchall()
        if before:
            new = _back(con, hand, before[0][0])
        else:
            known = con.execute(
                "SELECT 1 FROM hand_other WHERE hash = ? UNION ALL "
                "SELECT 1 FROM hand_version WHERE hash = ?",
                [content, content],
            ).fetchall()
            if known:
                raise CorrectionError("taken", "another source of the store says just this")
            write_batch(con, batch, hashed, __version__, (None, "phn"))
            found = con.execute("SELECT hand_id FROM hand WHERE hash = ?", [content]).fetchall()
            if not found:
                raise Unchanged
            new = found[0][0]
            replace_hand(con, hand, new)
    if new < 0:
        raise StoreError("the correction was not stored")
    return new


def _back(con: object, hand: int, version: int) -> int:
    """The text is that of an old version: the two change places."""
    from pandoeren_replay.store.merging import judge_again

    shown = restore(con, hand, version)
    judge_again(con, shown)
    replace_hand(con, hand, shown[0])
    return shown[0]


__all__ = ["CorrectionError", "Draft", "correct", "read_draft", "text_of"]
