"""Every sample in one table: the hands that come of it, how complete, and what they agree with."""

import shutil
from pathlib import Path

import pytest

from engine.replay import replay
from pandoeren_replay import Store
from parsers.base import Options
from parsers.detect import read_path
from tests.parsers.told import RULES, SAMPLES, disagreements

ROOT = SAMPLES.parent
BY = Options(rules=RULES)

FULL = ("recorded", "recorded", "recorded", "recorded", 32, "none", "recorded")
OPEN = ("recorded", "recorded", "recorded", "recorded", 32, "none", "unknown")
WHOLE: frozenset[str] = frozenset()
# Matches of boardgame.io of another deal: tests of that parser hold them against the final states
# of their own dumps.
OTHER = None

# File: (format, hands, codes of rejects, hands that were empty). A hand is the cards played, its
# completeness, and what of the answer it cannot tell (WHOLE: it tells all; OTHER: another hand).
TABLE = {
    "bga/bga_archive_logs.json": ("bga", [(32, FULL, WHOLE)], [], 0),
    "bga/bga_replay_page.html": ("bga", [(32, FULL, WHOLE)], [], 0),
    "bga/bga_error_quota.json": ("bga", [], ["server-error"], 0),
    "bga/bga_live_history_viewer_seat2.json": (
        "bga",
        [(18, ("partial", "recorded", "recorded", "unknown", 18, "none", "unknown"),
          {"hands", "discard", "partner"})],
        [], 0,
    ),
    "generic/generic.csv": ("table", [(32, FULL, WHOLE)], [], 0),
    "generic/generic_events.jsonl": ("events", [(32, FULL, WHOLE)], [], 0),
    "generic/generic_unfinished.jsonl": (
        "events",
        [(12, ("recorded", "recorded", "recorded", "recorded", 12, "none", "unknown"), WHOLE)],
        [], 0,
    ),
    "iss/iss_style.sgf": (
        "iss",
        [
            (32, FULL, WHOLE),
            (12, ("partial", "recorded", "recorded", "recorded", 12, "none", "unknown"),
             {"hands", "partner"}),
            (0, ("recorded", "recorded", "recorded", "none", 0, "none", "recorded"),
             {"discard", "trump", "called", "declarer", "partner"}),
        ],
        [], 0,
    ),
    "klaverlive/klaverlive_style_history.csv": (
        "klaverlive",
        [(28, ("inferred", "partial", "inferred", "unknown", 28, "none", "recorded"),
          {"discard", "called", "partner"})],
        [], 0,
    ),
    "klaverlive/klaverlive_style_state.json": (  # seen from the seat that it calls Zuid
        "klaverlive",
        [(18, ("partial", "partial", "unknown", "unknown", 18, "none", "recorded"),
          {"hands", "middle", "discard", "called", "declarer", "partner", "plays", "winners"})],
        [], 0,
    ),
    "boardgame-io/local_complete.json": ("boardgame-io", [(32, OPEN, WHOLE)], [], 0),
    "boardgame-io/local_undo_2hands.json": (
        "boardgame-io", [(32, OPEN, OTHER), (32, ("inferred", *OPEN[1:]), OTHER)], [], 0,
    ),
    "boardgame-io/server_complete_dbfetch.json": (
        "boardgame-io", [(32, OPEN, OTHER), (32, ("partial", *OPEN[1:]), OTHER)], [], 0,
    ),
    "boardgame-io/server_complete_rest.json": ("boardgame-io", [], [], 1),
    "boardgame-io/server_unfinished_dbfetch.json": (
        "boardgame-io", [(17, (*OPEN[:4], 17, *OPEN[5:]), OTHER)], [], 0,
    ),
    "boardgame-io/0.38-flatfile": (
        "boardgame-io",
        [(2, ("unknown", "partial", "unknown", "unknown", 2, "none", "unknown"), OTHER)],
        [], 0,
    ),
    "boardgame-io/0.50-flatfile": (
        "boardgame-io",
        [
            (32, OPEN, OTHER),
            (32, ("partial", *OPEN[1:]), OTHER),
            (17, (*OPEN[:4], 17, *OPEN[5:]), OTHER),
            (32, OPEN, OTHER),
            (32, ("inferred", *OPEN[1:]), OTHER),
        ],
        [], 0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(TABLE))
def test_each_sample(name):
    form, hands, rejects, empty = TABLE[name]
    result = read_path(ROOT / name, BY)
    assert result.format == form
    assert [r.code for r in result.rejects] == rejects
    assert result.empty == empty
    assert len(result.hands) == len(hands)
    for hand, (plays, complete, missing) in zip(result.hands, hands):
        found = replay(hand.record, RULES).completeness
        assert len(hand.record.plays) == plays
        assert (found.deal, found.auction, found.middle, found.discard, found.plays,
                found.meld, found.result) == complete  # fmt: skip
        differ = disagreements(hand.record, plays)
        if missing is OTHER:
            assert {"hands", "plays"} <= set(differ)
        else:
            assert set(differ) == missing
        if plays == 32 and missing is not OTHER:
            assert replay(hand.record, RULES).outcome.made is False


def test_no_sample_is_left_out():
    files = {p.relative_to(ROOT) for p in ROOT.rglob("*") if p.is_file()}
    files = {f.parent if "flatfile" in str(f) else f for f in files}
    assert {f.as_posix() for f in files} == set(TABLE)


def test_a_folder_with_everything_and_some_of_it_broken(tmp_path):
    """Whatever is read is stored, known already, rejected or empty; nothing is unaccounted for."""
    folder = tmp_path / "alles"
    shutil.copytree(ROOT, folder)
    sheets = Path(__file__).parents[1] / "data" / "sheets"
    shutil.copytree(sheets, folder / "lijsten")
    (folder / "generic" / "half.csv").write_bytes((SAMPLES / "generic.csv").read_bytes()[:1500])
    log = (SAMPLES / "generic_events.jsonl").read_bytes()
    (folder / "generic" / "kapot.jsonl").write_bytes(log.replace(b"HJ", b"H5"))
    (folder / "bga" / "half.json").write_bytes(
        (ROOT / "bga" / "bga_archive_logs.json").read_bytes()[:9000]
    )
    (folder / "iets.bin").write_bytes(bytes(range(256)))
    (folder / "leeg.txt").write_bytes(b"")
    (folder / "skat.sgf").write_text("(;GM[Skat]PC[x])\n")
    (folder / "typ.txt").write_text("Zuid: 150, troef harten, mee: schoppenaas; 1. HB H9 H7 H8\n")
    (folder / "README.md").write_text("# Een map\n")
    told = read_path(folder, BY)
    store = Store(tmp_path / "club")
    once = store.import_([folder], options=BY)
    assert once.adds_up
    assert once.read == len(told.hands) + len(told.rejects) + told.empty
    assert once.stored == store.sql("select count(*) as n from hands")["n"][0]
    assert once.rejected == len(told.rejects)
    assert sorted(r.code for r in told.rejects) == [
        "empty", "not-text", "other-game", "server-error", "unreadable", "unrecognised",
    ]  # fmt: skip
    assert once.duplicate > 0  # the same hands stand in several files
    again = store.import_([folder], options=BY)
    assert again.adds_up
    assert (again.read, again.stored) == (once.read, 0)
