"""Out and in again: the same hands; without names; safe in a spreadsheet."""

import csv
import io
import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.record import HandRecord
from engine.rulefile import load_ruleset
from pandoeren_replay.anonymous import Anonymiser
from pandoeren_replay.diagram import write_pbn
from pandoeren_replay.export import (
    TEXT_FORMATS,
    Format,
    anonymiser,
    stored_records,
    stored_tables,
    write_records,
    write_tables,
)
from pandoeren_replay.importer import ImportTotals, import_paths
from pandoeren_replay.maintenance import merge_players
from pandoeren_replay.store import Store
from parsers.base import Source
from parsers.phl import parse_line
from parsers.phn import write_phn

from .conftest import CONFORMANCE

Put = Callable[..., ImportTotals]
HAND = (CONFORMANCE / "sample.phl").read_text().splitlines()[2]


def exported(
    store: Store, format: Format, excel_nl: bool = False, anonymous: bool = False
) -> bytes:
    names = anonymiser(store) if anonymous else None
    if format in TEXT_FORMATS:
        text = io.StringIO()
        records = stored_records(store)
        if names:
            records = map(names.record, records)
        write_records(records, format, text, lambda r: load_ruleset(r.rules or "heerlen"))
        return text.getvalue().encode()
    out = io.BytesIO()
    write_tables(stored_tables(store, names=names), format, out, excel_nl)
    return out.getvalue()


def hashes(store: Store) -> list[str]:
    return sorted(r["hash"] for r in store.rows("SELECT hash FROM hands"))


ROUND_TRIPS = [
    ("phl", False), ("phn", False), ("jsonl", False), ("csv", False), ("csv", True),
    ("parquet", False),
]  # fmt: skip


@pytest.mark.parametrize(("format", "excel_nl"), ROUND_TRIPS)
def test_export_then_import_gives_the_same_hashes(
    full: Store, tmp_path: Path, format: Format, excel_nl: bool
) -> None:
    data = exported(full, format, excel_nl)
    again = Store(tmp_path / "again")
    totals = import_paths(again, [Source(f"hands.{format}", data)])
    assert totals.rejects == []
    assert hashes(again) == hashes(full)
    assert import_paths(full, [Source(f"hands.{format}", data)], dry_run=True).stored == 0


def test_the_server_form_brings_whole_hands_back(put: Put, store: Store, tmp_path: Path) -> None:
    put("\n".join((CONFORMANCE / "sample.phl").read_text().splitlines()) + "\n")
    again = Store(tmp_path / "again")
    data = exported(store, "sgf")
    totals = import_paths(again, [Source("hands.sgf", data)])
    assert totals.read == store.count()
    kept = set(hashes(again)) & set(hashes(store))
    assert len(kept) >= store.count() / 2
    assert exported(again, "sgf") == data


@pytest.mark.parametrize(("format", "excel_nl"), ROUND_TRIPS)
def test_anonymous_export_has_no_name_and_all_else(
    put: Put, store: Store, tmp_path: Path, format: Format, excel_nl: bool
) -> None:
    note = quote("Anna should have led; d'ARTAGNAN knew, and so did bas-7 (Basel)")
    fields = HAND.split(" ")
    fields[8] = (
        "id=anna_bas-3;n=Anna;e=Bas;s=Charles%20d%27Artagnan;w=Ren%C3%A9e;session=bij%20Renee;"
        f"event=Annapolis;date=2026-11-28;hand=3;tag.Elo=Bas%201500;text=h:c:{note}"
    )
    put(" ".join(fields) + "\n", name="/home/anna/bas.phl")
    put(HAND.replace("n=Anna", "n=A.%20Smit").replace("sample-03", "x") + "\n", name="c.phl")
    merge_players(store, "Anna", ["A. Smit"])
    data = exported(store, format, excel_nl, anonymous=True)
    shown = pl.read_parquet(data).write_csv() if format == "parquet" else data.decode()
    text = shown.casefold().replace("annapolis", "").replace("basel", "")
    for name in ("anna", "bas", "artagnan", "charles", "renée", "renee", "smit"):
        assert name not in text, name
    again = Store(tmp_path / "again")
    assert import_paths(again, [Source(f"x.{format}", data)]).stored == 2
    frame = again.hands()
    assert frame["north"].to_list() == ["Player 1"] * 2
    assert frame["id"][0] == "Player 1_Player 2-3"
    assert frame["session"][0] == "bij Player 4"
    assert frame["event"][0] == "Annapolis"
    # Names aside it is the same hand.
    for one, other in zip(stored_records(store), stored_records(again), strict=True):
        assert replace(one, meta=(), notes=()) == replace(other, meta=(), notes=())
    if format in ("csv", "jsonl"):
        assert f"{frame['hash'][0]}" in data.decode()  # the hash tells nothing either
        assert store.hands()["hash"][0] not in data.decode()


def test_parts_of_names_and_names_that_are_words() -> None:
    a = Anonymiser(["Anna Smit", "Bas Smit", "Jan-Willem", "X", "van de Ven", "Jan", " "])
    assert a.name("anna  smit") == "Player 1"
    assert a.text("Anna, Smit, jan-willem, Willem, JanWillem, Jan") == (
        "Player 1, Player, Player 3, Player 3, Player 3, Player 6"
    )
    assert a.text("x van Ven vandeven January Janssen") == (
        "x van Player 5 Player 5 January Janssen"
    )
    assert a.name("X") == "Player 4"
    assert Anonymiser([]).text("Anna") == "Anna"
    swapped = Anonymiser(["Player 2", "Player 1"])
    assert swapped.text("Player 1 and Player 2") == "Player 2 and Player 1"


NAMES = st.text(st.characters(categories=["L", "Zs", "P", "S"]), min_size=2, max_size=12)


@settings(max_examples=60, deadline=None)
@given(st.lists(NAMES, min_size=1, max_size=4, unique=True), st.text())
def test_any_name_is_replaced_wherever_it_stands_alone(names: list[str], rest: str) -> None:
    a = Anonymiser(names)
    for name in names:
        told = unicodedata.normalize("NFC", name.strip())
        if len(told) < 2 or not told[0].isalpha() or told.casefold() in "(player 12)":
            continue
        assert a.name(name).startswith("Player")
        assert told not in a.text(f"({told})")
    assert isinstance(a.text(rest), str)


@pytest.mark.parametrize(
    "name", ["=1+1", "+31", "-2", "@SUM(A1)", "\t=1", "\r=1", "=cmd|' /C x'!A0"]
)
@pytest.mark.parametrize("excel_nl", [True, False])
def test_no_cell_is_a_formula(put: Put, store: Store, name: str, excel_nl: bool) -> None:
    line = HAND.replace("n=Anna", f"n={quote(name)}").replace("sample-03", f"%3Did{quote(name)}")
    put(line + "\n")
    data = exported(store, "csv", excel_nl).decode("utf-8-sig" if excel_nl else "utf-8")
    rows = list(csv.reader(io.StringIO(data, newline=""), delimiter=";" if excel_nl else ","))
    assert len(rows) == 2
    assert len(rows[0]) == len(rows[1])
    record = dict(zip(*rows, strict=True))
    assert record["north"] == "'" + name
    for column, cell in record.items():
        assert not cell.startswith(("=", "@", "\t", "\r")), column
        if cell.startswith(("+", "-")):
            assert cell[1:].replace(".", "").replace(",", "").isdigit(), column


def test_dutch_excel_gets_mark_semicolons_and_decimal_commas() -> None:
    import polars as pl

    out = io.BytesIO()
    frames = [pl.DataFrame({"naam": ["An;na"], "deel": [0.5], "n": [-3]})] * 2
    assert write_tables(frames, "csv", out, excel_nl=True) == 2
    assert out.getvalue() == b'\xef\xbb\xbfnaam;deel;n\n"An;na";0,5;-3\n"An;na";0,5;-3\n'


def test_diagrams_are_read_again_and_show_every_card(
    put: Put, store: Store, tmp_path: Path
) -> None:
    put((CONFORMANCE / "sample.phl").read_text())
    put((CONFORMANCE / "partial.phl").read_text(), name="partial.phl")
    data = exported(store, "pbn")
    again = Store(tmp_path / "again")
    totals = import_paths(again, [Source("deals.pbn", data)])
    assert (totals.rejects, totals.read) == ([], store.count())
    one = store.rows("SELECT id, contract, declarer, trump FROM hands WHERE id = 'sample-03'")
    assert (
        again.rows("SELECT id, contract, declarer, trump FROM hands WHERE id = 'sample-03'") == one
    )
    block = next(b for b in data.decode().split("[Rules ") if "sample-03" in b)
    shown = [x for x in block.splitlines() if x.startswith(";")]
    cards = " ".join(shown).replace("10", "T")
    assert sum(c in "AKQJT9876" for c in re.sub("Anna|Middle.*|[A-Z][a-z]+", "", cards)) == 32
    for name in ("North (Anna)", "Middle card:"):
        assert name in cards


def test_a_diagram_of_a_hand_of_which_nothing_is_known() -> None:
    text = write_pbn(
        HandRecord("heerlen", meta=(("n", 'A\n} [Rules "x"]'),)), load_ruleset("heerlen")
    )
    assert text.count("?") >= 5
    from parsers.phn import read_phn

    found = read_phn(text + "\n")
    assert (found.hands, found.empty, found.rejects) == ([], 1, [])
    line = parse_line(HAND)
    assert write_phn(line).split("Auction")[0] != write_pbn(line, load_ruleset("heerlen"))
