"""What a filter is narrowed by lets every hand of the filter through."""

import random
from pathlib import Path

import pytest

from pandoeren_replay.filters import condition, quote
from pandoeren_replay.importer import import_paths
from pandoeren_replay.maintenance import merge_players
from pandoeren_replay.store import Store, bulk, bulk_source, sums
from pandoeren_replay.store.narrow import MOST_NAMES, asked_first, narrowed
from parsers.base import Source
from tests.store.test_merging import evening, sheet, text

DATES = (
    "2025-12-31", "2026-1-5", "2026-01-05", "2026-11-28T20:15", "2026-06-30", "2027-01-01", "epoch",
    "%202026-3-4", "zaterdag", "2024-02-29",
)  # fmt: skip
NAMES = ("Anna", "anna", "Bas", "Cor", "Dirk", "Els O'Hara", "Annabel", "Fien")
FILTERS = (
    "player=Anna", "player=ANNA", "player=bas,Cor", "player~ann", "player!=Anna", "player=Nobody",
    f"player={quote(NAMES[5])}", "declarer=fien and made=no", "partner=Bas",
    "partner~o", "player=Anna and player=Bas", "player=Anna and session=Avond 3",
    "session=avond 3", "session=Avond 1,avond 2", "session=none such", "session~2",
    "date=2026", "date=2026-01", "date=2026-01-05", "date>=2026",
    "date>2026", "date<2026", "date<2026-01-05", "date>2025-12 and date<2026-07",
    "date=2024,2027", "date=1970", "date=1969", "date!=2026", "date>=2026 and player=Dirk",
    "date=2026-11-28", "source=CLUB.phl", "source=server.phl,x", "source~club", "source=none",
    "source!=club.phl",
)  # fmt: skip
EMPTY = {"player=Nobody", "session=none such", "date=1969", "source=none"}


@pytest.fixture(autouse=True)
def small_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "LARGE", 1)
    monkeypatch.setattr(bulk, "ROW_GROUP", 50)
    monkeypatch.setattr(bulk_source, "BULK_FROM", 1)


def put(store: Store, name: str, data: str) -> None:
    assert import_paths(store, [Source(name, data.encode())]).stored


def hands(dates: tuple[str, ...] = DATES, n: int = 200) -> str:
    rng = random.Random(5)
    lines = text(evening(12, seed=11)).splitlines()
    out = []
    for i in range(n):
        line = lines[i % len(lines)]
        names = [x.replace(" ", "%20") for x in rng.sample(NAMES, 4)]
        meta = [f"{s}={x}" for s, x in zip("nesw", names) if rng.random() < 0.9]
        if rng.random() < 0.9:
            meta.append(f"date={dates[i // 10 % len(dates)]}")
        if rng.random() < 0.8:
            meta.append(f"session={rng.choice(('Avond', 'avond'))}%20{i // 20}")
        out.append(" ".join((*line.split(" ")[:8], ";".join([f"id=x{i}", *meta]))))
    return "\n".join(out) + "\n"


def check(store: Store) -> int:
    """How many filters are narrowed; each to no fewer hands than it lets through."""
    tests, params = [], []
    for where in FILTERS:
        sql, values = condition(where, store)
        tests.append(f"coalesce({sql}, false)")
        params += values
    rows = store.rows(f"SELECT h.hand_id, [{', '.join(tests)}] AS through FROM hands h", params)
    n = 0
    for k, where in enumerate(FILTERS):
        wanted = {r["hand_id"] for r in rows if r["through"][k]}
        assert bool(wanted) == (where not in EMPTY), where
        parts = asked_first(store, where)
        if parts:
            n += 1
            found = store.rows(f"SELECT hand_id FROM hand h WHERE {' AND '.join(parts)}")
            assert {r["hand_id"] for r in found} >= wanted, where
            assert len(found) < len(rows), where
    return n


def test_every_hand_of_the_filter(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    put(store, "club.phl", hands())
    put(store, "server.phl", text(evening()))
    wide = {"player!=Anna", "date!=2026", "session~2", "source!=club.phl"}
    assert check(store) == len(FILTERS) - len(wide)
    for where in ("player=Anna and session=Avond 3", "date>2025-12 and date<2026-07"):
        sql, params = condition(where, store)
        n = store.rows(f"SELECT count(*) AS n FROM hands h WHERE {sql}", params)[0]["n"]
        assert store.count(where) == n == len(store.hands(where)) > 0
    merge_players(store, "Anna", ["anna", "Annabel"])
    # Another source tells the hands of the evening, too: sessions and dates may be its.
    assert import_paths(store, [Source("sheet.csv", sheet(evening()).encode())]).merged == 8
    others = {w for w in FILTERS if w.startswith(("date", "session"))} - {
        "date>=2026 and player=Dirk"
    }
    assert check(store) == len(set(FILTERS) - wide - others)


def test_years_that_do_not_sort_as_texts(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    put(store, "club.phl", hands((*DATES, "999-01-01", "12026-1-05")))
    for where in ("date<2026", "date>=2026", "date>2026"):
        assert not asked_first(store, where)
        assert store.count(where)


def test_many_names_and_small_stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "store")
    line = " ".join(hands(n=1).split(" ")[:8])
    names = [f"Anna {i}" for i in range(MOST_NAMES + 1)]
    lines = [f"{line} id=y{i};n={x.replace(' ', '%20')}\n" for i, x in enumerate(names)]
    put(store, "a.phl", "".join(lines))
    for part in ("anna", "anna 1"):
        where = f"player~{part}"
        meant = [x for x in names if part in x.lower()]
        assert bool(asked_first(store, where)) == (len(meant) <= MOST_NAMES)
        assert store.count(where) == len(store.hands(where)) == len(meant)
    monkeypatch.setattr(sums, "LARGE", 10**9)
    small = Store(tmp_path / "small")
    put(small, "a.phl", hands(n=20))
    assert narrowed(small, "player=Anna", "x") == "(x)"


def test_role_of_a_player(tmp_path: Path) -> None:
    """A filter on the role says of the hands what the view ``seats`` says of the seats."""
    store = Store(tmp_path / "store")
    put(store, "club.phl", hands(n=80))
    seats = store.rows("SELECT hand_id, lower(player) AS player, role FROM seats")
    for player in ("Anna", "bas"):
        for roles in (("declarer",), ("partner",), ("defender", "partner")):
            meant = {
                r["hand_id"] for r in seats if r["player"] == player.lower() and r["role"] in roles
            }
            found = store.hands(f"player={player} and role={','.join(roles)}")["hand_id"]
            assert meant == set(found.to_list()) != set()
