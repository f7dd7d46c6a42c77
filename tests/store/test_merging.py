"""The same evening from two sources: one hand each, both sources kept, nothing merged wrongly."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engine.cards import SEATS
from engine.record import HandRecord
from engine.replay import replay
from engine.rulefile import load_ruleset
from pandoeren_replay.importer import ImportTotals, import_paths
from pandoeren_replay.maintenance import merge_players, split_players, undo_import, verify
from pandoeren_replay.reparse import reparse_hands
from pandoeren_replay.store import Store
from pandoeren_replay.store.matching import Told, contradiction, match
from parsers.base import Source
from parsers.phl import parse_line, write_phl
from parsers.phn_write import write_phn
from parsers.sheetrows import RowReader
from tests.engine.dealing import random_record, with_result

Put = Callable[..., ImportTotals]
NAMES = ("Anna", "Bas", "Cor", "Dirk")


def evening(
    n: int = 8, seed: int = 3, date: str = "2026-11-28", session: str | None = None
) -> list[HandRecord]:
    """Whole hands as a server has them, none passed out."""
    rng, rules = random.Random(seed), load_ruleset("heerlen")
    out: list[HandRecord] = []
    while len(out) < n:
        record = replace(with_result(random_record(rng, rules), rules), notes=(), meta=())
        done = replay(record, rules)
        if done.outcome.made is None or done.outcome.passed_out or done.outcome.score is None:
            continue
        told = {"n": NAMES[0], "e": NAMES[1], "s": NAMES[2], "w": NAMES[3], "date": date}
        if session:
            told |= {"session": session, "hand": str(len(out) + 1)}
        out.append(record.with_meta(**told))
    return out


def text(records: list[HandRecord]) -> str:
    return "".join(write_phl(r) + "\n" for r in records)


def sheet(records: list[HandRecord], wrong: int = -1, session: bool = False) -> str:
    """The secretary's CSV of the same hands; hand ``wrong`` has the other outcome."""
    rules = load_ruleset("heerlen")
    lines = ["datum;spel;speler;maat;bod;gehaald;Anna;Bas;Cor;Dirk"]
    if session:
        lines[0] += ";sessie"
    for i, record in enumerate(records):
        o = replay(record, rules).outcome
        assert o.declarer is not None
        assert o.score is not None
        partner = "-" if o.partner == -1 else NAMES[o.partner or 0]
        made = bool(o.made) != (i == wrong)
        scores = [s if i != wrong else -s for s in o.score]
        row = [
            record.get("date") or "", str(i + 1) if session else "", NAMES[o.declarer], partner,
            o.contract or "", "ja" if made else "nee", *map(str, scores),
        ]  # fmt: skip
        lines.append(";".join([*row, record.get("session") or ""] if session else row))
    return "\n".join(lines) + "\n"


def shown(store: Store) -> list[tuple[object, ...]]:
    """All that the views say about hands, but for numbers and sources."""
    frame = store.hands().drop("hand_id", "source", "line", "format", "import_id")
    return sorted(frame.rows(), key=repr)


@pytest.mark.parametrize("first", ["server", "sheet"])
@pytest.mark.parametrize("session", [True, False])
def test_server_and_score_sheet_are_one_evening(
    put: Put, store: Store, first: str, session: bool
) -> None:
    hands = evening(session="vrijdag" if session else None)
    logs = {"server": (text(hands), "server.phl"), "sheet": (sheet(hands, 2, session), "blad.csv")}
    second = "sheet" if first == "server" else "server"
    assert put(logs[first][0], name=logs[first][1]).stored == 8
    alone = shown(store)
    totals = put(logs[second][0], name=logs[second][1])
    assert (totals.read, totals.stored, totals.duplicate, totals.merged) == (8, 0, 8, 8)
    assert totals.adds_up
    assert store.count() == 8
    # The fuller record is shown, whichever came first.
    assert store.hands()["plays"].to_list() == [32] * 8
    assert [store.record(i) for i in store.hands()["hand_id"]] == hands
    both = store.rows("SELECT * FROM hand_sources ORDER BY hand_id, plays DESC")
    assert [(r["kind"], r["plays"]) for r in both[:2]] == [
        ("shown", 32), ("session" if session else "players", 0),
    ]  # fmt: skip
    assert len(both) == 16
    # One hand was written down otherwise: told, and the cards stand.
    [d] = totals.disagreements
    assert d.kept.startswith("outcome=")
    assert d.other.startswith("outcome=")
    assert d.kept.split(";")[0] != d.other.split(";")[0]
    assert "score=" in d.other
    rows = store.rows("SELECT kept, other FROM disagreements")
    assert [(r["kept"], r["other"]) for r in rows] == [(d.kept, d.other)]
    assert verify(store)[1] == []
    # Again is no news.
    generation = store.generation()
    assert put(logs[first][0], name=logs[first][1]).import_id is None
    assert store.generation() == generation
    # Either source taken back leaves the other as it was.
    undo_import(store, 2)
    assert shown(store) == alone
    assert store.rows("SELECT * FROM disagreements") == []
    put(logs[second][0], name=logs[second][1])
    undo_import(store, 1)
    other = Store(store.path.with_name("other"))
    import_paths(other, [Source(logs[second][1], logs[second][0].encode())])
    assert shown(store) == shown(other)
    assert store.rows("SELECT code, ply FROM violations ORDER BY ALL") == other.rows(
        "SELECT code, ply FROM violations ORDER BY ALL"
    )
    assert verify(store)[1] == []


def test_both_sources_in_one_import(store: Store) -> None:
    hands = evening()
    totals = import_paths(
        store, [Source("a.phl", text(hands).encode()), Source("b.csv", sheet(hands).encode())]
    )
    assert (totals.read, totals.stored, totals.duplicate) == (16, 8, 8)
    assert store.rows("SELECT stored, duplicate FROM imports") == [{"stored": 8, "duplicate": 8}]
    undo_import(store, 1)
    assert store.count() == 0
    assert store.rows("SELECT * FROM hand_sources") == []


def test_what_only_the_other_source_says_is_shown_too(put: Put, store: Store) -> None:
    hands = evening(3, session="avond-12")
    bare = [
        replace(r, result=replace(r.result, outcome=None), meta=(("session", "avond-12"), m[1]))
        for r in hands
        for m in [[x for x in r.meta if x[0] in ("session", "hand")]]
    ]
    put(text(bare), name="server.phl")
    assert store.hands()["north"].to_list() == [None] * 3
    lines = [
        f"heerlen . . ={SEATS[o.declarer or 0]}{o.contract} . . . {'made' if o.made else 'lost'} "
        f"n=Anna;e=Bas;s=Cor;w=Dirk;date=2026-11-28;session=avond-12;hand={i + 1}"
        for i, r in enumerate(hands)
        for o in [replay(r, load_ruleset("heerlen")).outcome]
    ]
    assert put("\n".join(lines) + "\n", name="club.phl").merged == 3
    frame = store.hands()
    assert frame["north"].to_list() == ["Anna"] * 3
    assert [str(d) for d in frame["date"]] == ["2026-11-28"] * 3
    assert None not in frame["recorded"].to_list()
    assert store.count("player=Anna") == 3


def test_a_live_view_and_the_whole_log_are_one_hand(store: Store) -> None:
    from importlib.resources import files

    bga = files("data") / "samples" / "bga"
    sources = [
        Source(name, (bga / name).read_bytes())
        for name in ("bga_live_history_viewer_seat2.json", "bga_archive_logs.json")
    ]
    totals = import_paths(store, sources)
    assert (totals.stored, totals.merged) == (1, 1)
    assert store.hands()["plays"].to_list() == [32]
    assert store.rows("SELECT count(*) AS n FROM hand_sources")[0]["n"] == 2


def test_a_hand_number_finds_the_hand_that_took_it_in(put: Put, store: Store) -> None:
    hands = evening(2)
    put(sheet(hands), name="blad.csv")
    put(text(hands), name="server.phl")
    assert store.find(1) == store.find("blad.csv:2") == store.hands()["hand_id"][0] == 3
    assert store.record(1) == hands[0]
    told = store.sources_of(1)
    assert [(t["source"], t["line"], t["kind"]) for t in told] == [
        ("server.phl", 1, "shown"), ("blad.csv", 2, "players"),
    ]  # fmt: skip
    assert told[0]["text"] == write_phl(hands[0])
    assert told[1]["text"].startswith("datum;spel;speler;")


# -- never wrongly ---------------------------------------------------------------------------------


def never(put: Put, store: Store, one: str, two: str, names: tuple[str, str]) -> None:
    a = put(one, name=names[0])
    b = put(two, name=names[1])
    assert (b.merged, b.duplicate) == (0, 0)
    assert store.count() == a.stored + b.stored
    assert a.disagreements + b.disagreements == []


def test_another_evening_of_the_same_players_on_the_same_day(put: Put, store: Store) -> None:
    never(put, store, text(evening()), sheet(evening(seed=9)), ("a.phl", "b.csv"))


def test_another_day(put: Put, store: Store) -> None:
    later = evening(date="2026-11-29")
    never(put, store, text(evening()), sheet(later), ("a.phl", "b.csv"))


def test_other_players(put: Put, store: Store) -> None:
    other = sheet(evening()).replace("Dirk", "Diederik")
    never(put, store, text(evening()), other, ("a.phl", "b.csv"))


def test_names_that_are_merged_make_it_the_same_evening(put: Put, store: Store) -> None:
    never(
        put, store, text(evening()), sheet(evening()).replace("Dirk", "D. Smit"),
        ("a.phl", "b.csv"),
    )  # fmt: skip
    before = shown(store)
    merge_players(store, "Dirk", ["D. Smit"])
    assert store.count() == 8
    split_players(store, ["D. Smit"])
    assert shown(store) == before


def test_same_session_and_hand_but_another_hand(put: Put, store: Store) -> None:
    a, b = evening(4, session="1"), evening(4, seed=8, session="1")
    totals = put(text(a), name="a.phl")
    totals = put(text(b), name="b.phl")
    assert (totals.stored, totals.merged) == (4, 0)
    assert len(totals.warnings) == 4
    assert "may be the hand of 'a.phl:1', but is kept apart: " in totals.warnings[0].message


def test_one_wrong_contract_keeps_that_hand_apart_and_says_so(put: Put, store: Store) -> None:
    hands = evening(8, session="v")
    lines = sheet(hands, session=True).splitlines()
    cells = lines[4].split(";")
    cells[4] = "190" if cells[4] != "190" else "180"
    lines[4] = ";".join(cells)
    put(text(hands), name="a.phl")
    totals = put("\n".join(lines) + "\n", name="b.csv")
    assert (totals.stored, totals.merged) == (1, 7)
    assert [w.line for w in totals.warnings if "kept apart: the contract is" in w.message] == [5]


def test_two_hands_that_look_alike_stay_apart() -> None:
    def hand(i: int, source: int, line: int) -> Told:
        return Told(
            i, {source: line}, date="2026-11-28", players=("a", "b", "c", "d"), declarer=0,
            contract="120", outcome="made",
        )  # fmt: skip

    one = [hand(i, 1, i) for i in range(1, 4)]
    other = [hand(10 + i, 2, i) for i in range(1, 4)]
    found = match(one + other)
    assert [(a, b) for a, b, _ in found.pairs] == [(1, 11), (2, 12), (3, 13)]
    found = match(one + other[:2])
    assert found.pairs == []
    assert len(found.apart) == 2


def test_hands_of_one_source_are_never_one(put: Put, store: Store) -> None:
    line = "heerlen . . =S130 . . . {} n=a;e=b;s=c;w=d;date=2026-11-28;session=x;hand=1\n"
    assert put(line.format("made") + line.format("lost"), name="a.phl").stored == 2
    # Nor is it settled which of the two another source means.
    totals = put(line.format("made;pts=90-50"), name="b.phl")
    assert (totals.stored, totals.merged) == (1, 0)


def test_chains_do_not_make_two_hands_of_one_source_the_same() -> None:
    told = {"date": "2026-11-28", "contract": "120", "declarer": 0}
    a = Told(1, {1: 1}, session="x", number="1", **told)
    b = Told(2, {2: 1}, session="x", number="1", **told)
    c = Told(3, {3: 1}, session="x", number="1", **told)
    assert len(match([a, b, c]).pairs) == 3
    players = ("a", "b", "c", "d")
    d = Told(4, {1: 2}, players=players, **told)
    found = match([a, replace(b, players=players), d])
    assert found.pairs == []
    assert {x.why for x in found.apart} == {"it would be two hands of one source at once"}


def test_simulated_hands_are_not_looked_at(put: Put, store: Store) -> None:
    hands = [r.with_meta(src="simulated") for r in evening(3, session="s1")]
    more = [replace(r, claims=()).with_meta(event="again") for r in hands]
    put(text(hands), name="a.phl")
    totals = put(text(more), name="b.phl")
    assert (totals.stored, totals.merged, totals.warnings) == (3, 0, [])


def test_contradictions_are_found() -> None:
    base = Told(1, {1: 1}, players=("a", "b", "c", "d"), declarer=2, contract="120", dealer=0)
    assert contradiction(base, replace(base, hand_id=2, sources={2: 1})) is None
    for change in (
        {"dealer": 1}, {"declarer": 1}, {"contract": "130"}, {"players": ("a", "b", "d", "c")},
        {"passed_out": True, "contract": None, "declarer": None}, {"deal": "N" + "?" * 32},
        {"plays": (1, 2)},
    ):  # fmt: skip
        whole = replace(base, deal="E" + "?" * 32, plays=(1, 3))
        assert contradiction(whole, replace(whole, hand_id=2, **change)), change
    # A sheet without seats is compared by name only.
    unseated = replace(base, seated=False, players=("c", "a", "b", "d"), declarer=0, dealer=None)
    assert contradiction(base, unseated) is None
    assert contradiction(base, replace(unseated, declarer=1))


@pytest.mark.parametrize("seed", range(30))
def test_random_evenings_are_never_merged_wrongly(seed: int) -> None:
    """Two sources tell some of the same hands, with gaps and slips; every pair found is true."""
    rng = random.Random(seed)
    truth = [
        Told(
            i, {1: i}, date="d", players=("a", "b", "c", "d"), declarer=rng.randrange(4),
            contract=rng.choice(["120", "130", "mis", "150"]),
            outcome=rng.choice(["made", "lost"]),
        )
        for i in range(1, 21)
    ]  # fmt: skip
    other = [replace(t, hand_id=t.hand_id + 100, sources={2: t.hand_id}) for t in truth]
    if rng.random() < 0.7:
        other = [t for t in other if rng.random() < 0.8]
    slips = rng.choice([0, 0, 1, 3])
    for i in rng.sample(range(len(other)), min(slips, len(other))):
        other[i] = replace(other[i], outcome="made" if other[i].outcome == "lost" else "lost")
    found = match(truth + other)
    assert all(b - a == 100 for a, b in (sorted(p[:2]) for p in found.pairs))
    if not slips:
        assert len(found.pairs) >= len(other) / 3


# -- who holds a hand ------------------------------------------------------------------------------


def test_a_hand_that_a_later_import_holds_stays_as_its_own(put: Put, store: Store) -> None:
    hands = evening(4)
    put(text(hands[:3]), name="a.phl")
    put("# again, and one more\n" + text(hands), name="a.phl")
    assert undo_import(store, 1) == (0, 0)
    assert store.count() == 4
    rows = store.rows("SELECT import_id, line FROM hands ORDER BY hand_id")
    assert [tuple(r.values()) for r in rows] == [(2, 2), (2, 3), (2, 4), (2, 5)]
    assert verify(store)[1] == []
    assert undo_import(store, 2) == (4, 0)


def test_a_hand_under_another_name_is_held_too(put: Put, store: Store) -> None:
    hands = evening(3)
    put(text(hands), name="a.phl")
    totals = put(text(hands), name="copy.phl")
    assert (totals.stored, totals.duplicate, totals.import_id) == (0, 3, 2)
    assert put(text(hands), name="copy.phl").import_id is None
    assert [r["known"] for r in store.rows("SELECT known FROM sources ORDER BY source_id")] == [
        0,
        3,
    ]
    undo_import(store, 2)
    assert store.count() == 3
    put(text(hands), name="copy.phl")
    undo_import(store, 1)
    assert store.hands()["source"].to_list() == ["copy.phl"] * 3


@pytest.mark.parametrize("gone", [1, 2])
def test_another_text_of_the_same_hand_is_kept_whole(put: Put, store: Store, gone: int) -> None:
    hand = evening(1)[0]
    texts = [
        write_phl(hand),
        write_phl(replace(hand, result=replace(hand.result, points=(1, 2))).with_meta(src="x")),
    ]
    for i, line in enumerate(texts):
        assert put(line + "\n", name=f"{i}.phl").read == 1
    assert store.count() == 1
    assert store.text(1) == texts[0]
    undo_import(store, gone)
    assert store.count() == 1
    number = store.hands()["hand_id"][0]
    assert store.text(number) == texts[2 - gone]
    codes = [v["code"] for v in store.violations(number)]
    assert ("points-mismatch" in codes) == (gone == 1)
    assert verify(store) == (1, [])


def test_three_sources_in_any_order_of_going(store: Store, tmp_path: Path) -> None:
    hands = evening(4, session="s")
    logs = [
        Source("a.phl", text(hands).encode()),
        Source("b.csv", sheet(hands, 1, True).encode()),
        Source("c.phl", text([replace(h, plays=h.plays[:20]) for h in hands]).encode()),
    ]
    for gone in ([1, 2], [2, 1], [1, 3], [3, 2], [2, 3]):
        store = Store(tmp_path / f"s{gone}")
        for log in logs:
            import_paths(store, [log])
        assert store.count() == 4
        for number in gone:
            undo_import(store, number)
        left = ({1, 2, 3} - set(gone)).pop()
        alone = Store(tmp_path / f"alone{gone}")
        import_paths(alone, [logs[left - 1]])
        assert shown(store) == shown(alone)
        assert verify(store) == (4, [])


def test_aliases_and_merges_survive_a_vacuum(put: Put, store: Store) -> None:
    from pandoeren_replay.maintenance import vacuum

    hands = evening(3)
    put(text(hands), name="a.phl")
    put(sheet(hands, 1), name="b.csv")
    tables = ("hand", "hand_other", "hand_source", "disagreement")
    before = [store.rows(f"SELECT * FROM {t} ORDER BY ALL") for t in tables]
    vacuum(store)
    assert [store.rows(f"SELECT * FROM {t} ORDER BY ALL") for t in tables] == before
    assert parse_line(store.text(store.find(1))) == store.record(store.find(1))


# -- sheets that name no evening -------------------------------------------------------------------

AN_EVENING = (
    "Datum;Spel;Speler;Maat;Bod;Gehaald\n28-11-2026;1;Anna;Cor;130;ja\n"
    "28-11-2026;2;Bas;Dirk;150;nee\n28-11-2026;3;Cor;Anna;130;ja\n"
)


def test_hands_of_a_store_from_before_are_found_again_and_get_their_evening(
    put: Put, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr(RowReader, "_evening", lambda *_: None)
        assert put(AN_EVENING, name="blad.csv").stored == 3
    assert store.rows("SELECT session FROM sessions") == []
    totals = put(AN_EVENING, name="copy.csv")
    assert (totals.stored, totals.duplicate) == (0, 3)
    assert store.count() == 3
    assert put(AN_EVENING, name="copy.csv").import_id is None
    assert len(reparse_hands(store).changed) > 0
    evenings = store.rows("SELECT session, hands FROM sessions")
    assert evenings == [{"session": "2026-11-28", "hands": 3}]
    assert reparse_hands(store).changed == []
    assert verify(store) == (3, [])


def test_two_sheets_of_one_date_are_not_taken_for_each_other(put: Put, store: Store) -> None:
    """Two tables number their hands alike: the date says no more than that it is the same day."""
    other = AN_EVENING
    for name, instead in (("Anna", "Eva"), ("Bas", "Fred"), ("Cor", "Gijs"), ("Dirk", "Hans")):
        other = other.replace(name, instead)
    assert put(AN_EVENING, name="tafel1.csv").stored == 3
    totals = put(other, name="tafel2.csv")
    assert (totals.stored, totals.merged) == (3, 0)
    assert [w.message for w in totals.warnings if "apart" in w.message] == []
    assert [(r["session"], r["hands"]) for r in store.rows("SELECT * FROM sessions")] == [
        ("2026-11-28", 6)
    ]


def test_a_sheet_without_an_evening_still_finds_the_servers_hands(put: Put, store: Store) -> None:
    hands = evening(session="vrijdag")
    put(text(hands), name="server.phl")
    assert put(sheet(hands), name="blad.csv").merged == 8
    rows = store.rows("SELECT session, hands FROM sessions")
    assert rows == [{"session": "vrijdag", "hands": 8}]
    bare = Store(store.path.with_name("bare"))
    hands = evening()
    import_paths(bare, [Source("server.phl", text(hands).encode())])
    assert bare.rows("SELECT session FROM sessions") == []
    import_paths(bare, [Source("blad.csv", sheet(hands).encode())])
    # What only the sheet says is shown with the server's hands.
    assert bare.rows("SELECT session, hands FROM sessions") == [
        {"session": "2026-11-28", "hands": 8}
    ]


@pytest.mark.parametrize("kind", ["phl", "phn"])
def test_an_evening_by_its_date_goes_out_and_comes_back(
    put: Put, store: Store, tmp_path: Path, kind: str
) -> None:
    put(AN_EVENING, name="blad.csv")
    records = [store.record(i) for i in store.hands()["hand_id"]]
    assert [r.get("session_by") for r in records] == ["date"] * 3
    written = text(records) if kind == "phl" else "\n".join(map(write_phn, records))
    totals = put(written, name=f"uit.{kind}")
    assert (totals.stored, totals.duplicate) == (0, 3)
    other = Store(tmp_path / "other")
    import_paths(other, [Source(f"uit.{kind}", written.encode())])
    assert [other.record(i) for i in other.hands()["hand_id"]] == records
    assert other.hands()["session"].to_list() == ["2026-11-28"] * 3
