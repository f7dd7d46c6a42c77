"""Import: totals, duplicates, disagreements, rejects, original text, rules kept by content."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pandoeren_replay.importer import ImportTotals, import_paths
from pandoeren_replay.maintenance import (
    merge_players,
    split_players,
    undo_import,
    verify,
)
from pandoeren_replay.reparse import reparse_rejects
from pandoeren_replay.store import Store, StoreError
from pandoeren_replay.store.decode import original_text
from parsers.base import Options, Source
from parsers.phl import write_phl

from .conftest import CONFORMANCE

Put = Callable[..., ImportTotals]
SAMPLE = (CONFORMANCE / "sample.phl").read_text().splitlines()
HAND = SAMPLE[2]  # heerlen, whole, with names


def counts(t: ImportTotals) -> tuple[int, int, int, int, int]:
    return t.read, t.stored, t.duplicate, t.rejected, t.empty


def test_totals_of_every_kind_add_up(put: Put, store: Store) -> None:
    text = f"{HAND}\n{HAND}\nheerlen N . . . . . . .\nheerlen X . . . . . . .\n"
    totals = put(text)
    assert counts(totals) == (4, 1, 1, 1, 1)
    assert totals.adds_up
    assert store.count() == 1
    run = store.rows("SELECT read, stored, duplicate, rejected, empty FROM imports")[0]
    assert tuple(run.values()) == counts(totals)


def test_all_conformance_files_add_up(full: Store) -> None:
    run = full.rows("SELECT * FROM imports")[0]
    assert run["read"] == run["stored"] + run["duplicate"] + run["rejected"] + run["empty"]
    assert run["stored"] == full.count()
    lines = sum(
        1 for f in CONFORMANCE.glob("*.phl") for x in f.read_text().splitlines()
        if x and not x.startswith("#")
    )  # fmt: skip
    assert run["read"] == lines


def test_jobs_give_the_same_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pandoeren_replay.importer as importer

    monkeypatch.setattr(importer, "CHUNK", 40)
    monkeypatch.setattr(importer, "PARALLEL_FROM", 80)
    rows = []
    for jobs in (1, 2):
        store = Store(tmp_path / f"s{jobs}")
        import_paths(store, [CONFORMANCE / "legal-heerlen.phl"], jobs=jobs)
        rows.append(store.rows("SELECT * FROM hand ORDER BY hand_id"))
    assert rows[0] == rows[1]
    assert len(rows[0]) == 200


def test_same_hand_in_other_clothes_is_a_duplicate(put: Put) -> None:
    put(HAND + "\n")
    fields = HAND.split(" ")
    # Another source, a comment, another result, and the hash of its rules: the same hand.
    fields[8] += ";src=server;text=h:c:well%20played"
    assert counts(put(" ".join(fields) + "\n", name="b.phl"))[1:3] == (0, 1)
    fields[8] = fields[8].replace("Anna", "Anne")
    assert counts(put(" ".join(fields) + "\n", name="c.phl"))[1:3] == (1, 0)


def test_phl_and_phn_of_one_hand_are_one_hand(put: Put) -> None:
    assert put((CONFORMANCE / "sample.phl").read_text()).stored == 20
    totals = put((CONFORMANCE / "sample.phn").read_text(), name="sample.phn")
    assert counts(totals) == (20, 0, 20, 0, 0)
    assert totals.disagreements == []


def test_another_recorded_result_is_a_disagreement_told_once(put: Put, store: Store) -> None:
    put(HAND + "\n")
    fields = HAND.split(" ")
    assert fields[7].startswith("lost;")
    other = " ".join([*fields[:7], "made", fields[8]]) + "\n"
    totals = put(other, name="secretary.phl")
    assert counts(totals) == (1, 0, 1, 0, 0)
    d = totals.disagreements[0]
    assert (d.hand_id, d.source, d.line) == (1, "secretary.phl", 1)
    assert (d.kept, d.other) == (fields[7], "made")
    assert put(other, name="secretary.phl").disagreements == []
    rows = store.rows("SELECT hand_id, source, kept, other FROM disagreements")
    assert [tuple(r.values()) for r in rows] == [(1, "secretary.phl", fields[7], "made")]
    assert store.hands()["recorded"].to_list() == ["lost"]


def test_disagreement_within_one_import(put: Put) -> None:
    fields = HAND.split(" ")
    other = " ".join([*fields[:7], "made", fields[8]])
    totals = put(f"{HAND}\n{other}\n")
    assert counts(totals) == (2, 1, 1, 0, 0)
    assert [d.line for d in totals.disagreements] == [2]


def test_lines_of_a_score_sheet_are_not_taken_for_each_other(put: Put, store: Store) -> None:
    sheet = "heerlen . . =S130 . . . made n=Anna\n" * 3
    assert counts(put(sheet)) == (3, 3, 0, 0, 0)
    assert counts(put(sheet)) == (3, 0, 3, 0, 0)
    # One more of the same is one more.
    assert counts(put(sheet + sheet[: len(sheet) // 3])) == (4, 1, 3, 0, 0)
    assert store.count() == 4


def test_seven_known_cards_are_few_and_eight_are_not(put: Put) -> None:
    plays = "SAS7S8S9/SKSTSQ"
    few = f"heerlen N . 120,-,-,- . {plays} . . n=Anna\n"
    assert counts(put(few * 2)) == (2, 2, 0, 0, 0)
    many = f"heerlen N . 120,-,-,- . {plays}SJ . . n=Anna\n"
    assert counts(put(many * 2)) == (2, 1, 1, 0, 0)


def test_id_or_session_and_hand_make_a_score_line_one_hand(put: Put) -> None:
    assert counts(put("heerlen . . =S130 . . . made id=a\n" * 2)) == (2, 1, 1, 0, 0)
    assert counts(put("heerlen . . =S130 . . . made session=a;hand=1\n" * 2)) == (2, 1, 1, 0, 0)
    assert counts(put("heerlen . . =S130 . . . made session=a\n" * 2)) == (2, 2, 0, 0, 0)


def test_result_tells_hands_apart_only_without_cards(put: Put) -> None:
    assert put("heerlen . . =S130 . . . made id=a\nheerlen . . =S130 . . . lost id=a\n").stored == 2


def test_records_and_texts_come_back_exactly(full: Store) -> None:
    names = {r["source_id"]: r["name"] for r in full.rows("SELECT * FROM sources")}
    lines = {n: Path(n).read_text().split("\n") for n in names.values()}
    kept = 0
    for row in full.rows("SELECT * FROM hand"):
        text = original_text(row)
        assert text == lines[names[row["source_id"]]][row["line"] - 1]
        kept += row["raw"] is not None
    assert 0 < kept < full.count() / 20  # canonical lines are rebuilt, the odd ones kept


def test_odd_texts_come_back_exactly(put: Put, store: Store) -> None:
    odd = [
        HAND.replace("DADJ", "dadj").replace("HT", "♥10"),
        HAND.replace("id=sample-03", "zebra=1;id=odd-2;src=x;aap=2;text=3:c:hm|5:g:!?"),
        "fiches N . (E)100,-,-,-,- . . . . w=x;id=odd-3;n=y",
        "heerlen@12345678 ? . =?130 ?:?:? (W)SAS7 . conceded=2;partner=- id=odd-4;id=twice",
        "heerlen N . 120,-,-,- S:-:- SAS7S8S9/(N)SKST . . id=odd-5;tag.Vreemd=ja",
        ". N NNNNNNNNEEEEEEEEMSSSSSSSSWWWWWWW? 120,-,-,- . . . . id=odd-6",
    ]
    totals = put("\n".join(odd) + "\n")
    assert counts(totals) == (6, 6, 0, 0, 0), totals.rejects
    from parsers.phl import parse_line

    for i, line in enumerate(odd, 1):
        assert store.text(i) == line
        assert store.record(i) == parse_line(line)


def test_phn_with_comments_comes_back_exactly(put: Put, store: Store) -> None:
    text = (CONFORMANCE / "sample.phn").read_text()
    first = text[: text.index("\n*") + 2]
    odd = first.replace("\n*", "  {  a comment, oddly spaced }\n*")
    put(odd + "\n\n" + text[len(first) :].lstrip("\n"), name="a.phn")
    assert store.text(1).strip("\n") == odd
    row = store.row(2)
    assert row["raw"] is None
    assert row["raw_format"] == "phn"
    assert store.text(2) in text


def test_verify_finds_a_changed_column(put: Put, store: Store) -> None:
    put("\n".join(SAMPLE) + "\n")
    assert verify(store) == (20, [])
    with store.writing() as con:
        con.execute("UPDATE hand_row SET points_side = points_side + 1 WHERE hand_id = 3")
    assert verify(store)[1] == [
        "hand 3: column points_side is 62, the replay gives 61",
    ]


def test_rejects_are_kept_with_their_text_and_only_once(put: Put, store: Store) -> None:
    bad = "heerlen X . 120,-,-,- . . . . id=bad"
    put(f"{HAND}\n{bad}\n")
    put(f"{HAND}\n{bad}\nheerlen N . 1x0 . . . . .\n")
    rows = store.rows('SELECT source, line, "column", token, raw FROM rejects ORDER BY reject_id')
    assert [tuple(r.values()) for r in rows] == [
        ("a.phl", 2, 9, "X", bad),
        ("a.phl", 3, 13, "1x0", "heerlen N . 1x0 . . . . ."),
    ]


def test_unknown_rules_are_a_reject_until_reparsed_with_rules(put: Put, store: Store) -> None:
    club = HAND.replace("heerlen ", "our-club ", 1)
    totals = put(f"{HAND}\n{club.replace('sample-03', 'club-1')}\n")
    assert counts(totals) == (2, 1, 0, 1, 0)
    assert "--rules" in totals.rejects[0].message
    again = reparse_rejects(store, Options(rules="butselaar"))
    assert counts(again) == (1, 1, 0, 0, 0)
    assert store.rows("SELECT count(*) AS n FROM rejects")[0]["n"] == 0
    assert store.hands("id=club-1")["rules"].to_list() == ["butselaar"]
    assert store.record("club-1").rules == "our-club"


def test_old_hands_keep_their_rules_when_the_file_changes(
    put: Put, store: Store, tmp_path: Path
) -> None:
    file = tmp_path / "club.toml"
    house = 'id = "club"\nbase = "heerlen"\n[contracts.solo-zwabber]\nscore = {}\n'
    file.write_text(house.format(7))
    put(HAND + "\n", rules=str(file))
    file.write_text(house.format(8))
    put(HAND.replace("sample-03", "later") + "\n", rules=str(file))
    file.unlink()
    assert store.hands()["rules"].to_list() == ["club", "club"]
    assert store.hands()["declarer_score"].to_list() == [-7, -8]
    assert [store.rules_of(i).contracts["solo-zwabber"].score for i in (1, 2)] == [7, 8]
    assert [store.replay(i).outcome.score for i in (1, 2)] == [(-7, 0, 0, 0), (-8, 0, 0, 0)]
    assert verify(store) == (2, [])


def test_simulated_hands_are_marked(put: Put, store: Store) -> None:
    put(
        "heerlen N . -,-,-,- . . . void id=a;src=simulated\n"
        "heerlen N . -,-,-,- . . . void id=b;event=simulated\n"
        "heerlen N . -,-,-,- . . . void id=c\n"
    )
    assert store.hands()["simulated"].to_list() == [True, True, False]
    assert store.count("simulated=no") == 1


HOSTILE = [
    "<iframe srcdoc='<script>parent.x=1</script>'>",
    "**bold** [x](javascript:1)",
    "Robert'); DROP TABLE hand;--",
    '"=1+1"',
    "\u202eevil\x1b[31m",
    "a;b=c|d:e%20",
    "名前 🂡",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_only_text(put: Put, store: Store, name: str) -> None:
    from urllib.parse import quote

    line = HAND.replace("n=Anna", f"n={quote(name)}")
    assert put(line + "\n").stored == 1
    assert store.hands()["north"].to_list() == [name]
    from pandoeren_replay.filters import quote as filter_quote

    assert store.count(f"player={filter_quote(name)}") == 1
    assert store.count(f"player!={filter_quote(name)}") == 0
    assert store.record(1).player(0) == name
    assert write_phl(store.record(1)).split(" ")[:8] == HAND.split(" ")[:8]


def test_undo_takes_exactly_one_import_back(put: Put, store: Store) -> None:
    put(HAND + "\nheerlen X . . . . . . .\n")
    put("\n".join(SAMPLE) + "\n", name="b.phl")
    assert undo_import(store, 2) == (19, 0)
    assert store.count() == 1
    assert store.rows("SELECT DISTINCT hand_id FROM violation WHERE hand_id > 1") == []
    assert undo_import(store, 1) == (1, 1)
    assert store.count() == 0
    with pytest.raises(StoreError, match="there is no import 1"):
        undo_import(store, 1)


def test_merged_names_count_as_one_player_and_split_again(put: Put, store: Store) -> None:
    put(HAND + "\n")
    put(HAND.replace("Anna", "A.").replace("sample-03", "x") + "\n")
    merge_players(store, "Anna", ["A."])
    assert store.count("declarer=Anna") == 2
    assert store.count("player='A.'") == 0
    assert store.record(2).player(0) == "A."
    split_players(store, ["A."])
    assert store.count("declarer=Anna") == 1
    with pytest.raises(StoreError, match=r"no hand .* named 'Nobody'"):
        merge_players(store, "Anna", ["Nobody"])


def test_a_chain_of_merges_is_undone_link_by_link(put: Put, store: Store) -> None:
    lines = [HAND.replace("Anna", n).replace("sample-03", n) for n in ("Anna", "An", "A.")]
    put("\n".join(lines) + "\n")

    def names() -> list[str]:
        return sorted(store.hands()["north"].to_list())

    merge_players(store, "An", ["A."])
    merge_players(store, "Anna", ["An"])
    assert names() == ["Anna"] * 3
    split_players(store, ["An"])
    assert names() == ["An", "An", "Anna"]
    merge_players(store, "A.", ["An"])  # the other way round: no name is lost in a circle
    assert names() == ["A.", "A.", "Anna"]
    split_players(store, ["An"])
    assert names() == ["A.", "An", "Anna"]
    with pytest.raises(StoreError, match="not merged"):
        split_players(store, ["An"])


def test_nothing_to_read_changes_nothing(store: Store, tmp_path: Path) -> None:
    empty, binary, folder = tmp_path / "e.phl", tmp_path / "b.bin", tmp_path / "logs"
    empty.write_bytes(b"")
    binary.write_bytes(bytes(range(256)) * 40)
    folder.mkdir()
    for path in (empty, binary, folder, tmp_path / "missing.phl"):
        totals = import_paths(store, [path])
        assert totals.adds_up
        assert totals.stored + totals.duplicate == 0
        assert len(totals.rejects) == 1, path
    assert not store.path.exists()


def test_sources_and_files_mix(store: Store) -> None:
    totals = import_paths(
        store, [CONFORMANCE / "sample.phl", Source("pasted", (HAND + "\n").encode())]
    )
    assert counts(totals) == (21, 20, 1, 0, 0)
    assert {r["name"] for r in store.rows("SELECT name FROM sources")} == {
        str(CONFORMANCE / "sample.phl"), "pasted",
    }  # fmt: skip


def test_a_line_of_four_hundred_calls_is_a_hand_like_any_other(put: Put, store: Store) -> None:
    calls = ",".join(["-"] * 400)
    assert put(f"heerlen N . {calls} . . . . id=long\n").stored == 1
    assert store.hands()["calls"].to_list() == [400]
    assert store.rows("SELECT count(*) AS n FROM calls")[0]["n"] == 400
    assert store.text(1) == f"heerlen N . {calls} . . . . id=long"


def test_half_a_character_is_refused_where_it_stands(put: Put, store: Store) -> None:
    log = (
        '{"format": "pandoeren-log", "version": 1, "cards": "en", "rules": "heerlen"}\n'
        '{"e": "deal", "hand": 1, "dealer": 0, "hands": [null, null, null, null]}\n'
        '{"e": "bid", "seat": 1, "bid": "pas", "by": "A\\ud800"}\n'
    )
    totals = import_paths(store, [Source("a.jsonl", log.encode()), Source("b.phl", HAND.encode())])
    assert counts(totals) == (2, 1, 0, 1, 0)
    reject = totals.rejects[0]
    assert (reject.line, reject.column) == (3, 1 + log.splitlines()[2].index("\\ud800"))
    assert "half of a character in a text: \\ud800" in reject.message
    assert "\\ud800" in store.rows("SELECT raw FROM rejects")[0]["raw"]


@pytest.mark.parametrize("sample", ["bga/bga_archive_logs.json", "klaverlive/state.json"])
def test_half_a_character_in_a_document_names_line_and_column(store: Store, sample: str) -> None:
    from importlib.resources import files

    name = sample.replace("/state", "/klaverlive_style_state")
    text = (files("data") / "samples" / name).read_text("utf-8")
    half = text.index('"Jan-Willem"') + 5 if "Jan-Willem" in text else text.index('"Zuid"') + 3
    text = text[:half] + "\\udc00" + text[half:]
    totals = import_paths(store, [Source("log.json", text.encode())])
    reject = totals.rejects[0]
    before = text[:half]
    assert (reject.line, reject.column) == (before.count("\n") + 1, half - before.rfind("\n"))
    assert "half of a character" in reject.message
    assert totals.adds_up


def test_whole_characters_written_as_two_escapes_are_read(put: Put, store: Store) -> None:
    log = (
        '{"format": "pandoeren-log", "version": 1, "cards": "en", "rules": "heerlen", '
        '"players": [{"seat": 0, "name": "A\\ud83c\\udca1 \\\\ud800"}]}\n'
        '{"e": "deal", "hand": 1, "dealer": 0, "hands": [null, null, null, null]}\n'
        '{"e": "bid", "seat": 1, "bid": "pas"}\n'
    )
    assert counts(put(log, name="a.jsonl")) == (1, 1, 0, 0, 0)
    assert store.hands()["north"].to_list() == ["A\U0001f0a1 \\ud800"]
