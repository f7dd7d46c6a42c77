"""Valid files of every format, small ones, to be damaged by the fuzz campaign."""

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from parsers.base import Options
from tests.parsers.test_klaverlive import HISTORY, STATE
from tests.parsers.test_refuse import OTHERS
from tests.parsers.test_scoresheet import BY_PLAYER
from tests.parsers.test_typed import SHORT
from tests.parsers.test_typed import told as typed_hand
from tests.parsers.told import RULES, TRUTH, dutch, letter, rank_first, rows, sample, signs, table

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "data" / "samples"
NOTATION = ROOT / "tests" / "conformance"
CORPUS = Path(__file__).parent / "corpus"
SHEETS = ROOT / "tests" / "data" / "sheets"

OPTIONS = {name: Options(rules=RULES) for name in ("events", "table", "typed")}
"""What the user says beside the files of a format."""


def seeds(parser: str) -> list[bytes]:
    """Valid files of a parser (or of ``auto``: whatever the detection takes)."""
    texts = [*_SEEDS[parser](), *_corpus(parser)]
    return [t.encode("utf-8", "surrogatepass") if isinstance(t, str) else t for t in texts]


def _corpus(parser: str) -> list[str]:
    """Small valid files that between them reach what the others leave out (tests gave them)."""
    file = CORPUS / f"{parser}.json"
    texts: list[str] = json.loads(file.read_text("utf-8")) if file.exists() else []
    return texts


def names() -> list[str]:
    """Everything that can be fuzzed."""
    return list(_SEEDS)


def _phl() -> list[str]:
    lines: list[str] = []
    for file in sorted(NOTATION.glob("*.phl")):
        if file.name not in ("rejects.phl", "corrupt.phl"):
            lines += [t for t in file.read_text("utf-8").splitlines() if t[:1] not in ("#", "")][:8]
    return [f"{t}\n" for t in lines] + ["\n".join(lines[i : i + 3]) + "\n" for i in (0, 9)]


def _phn() -> list[str]:
    from parsers.phl import read_phl
    from parsers.phn_write import write_phn

    hands = [h.record for text in _phl() for h in read_phl(text, "x").hands]
    own = (NOTATION / "sample.phn").read_text("utf-8").split('[Rules "')[1:8]
    return [write_phn(r) for r in hands[::4]] + [f'[Rules "{t}' for t in own]


def _thin(value: Any, most: int) -> Any:
    """A JSON document with its long lists of events cut short."""
    if isinstance(value, dict):
        return {k: _thin(v, most) for k, v in value.items()}
    if isinstance(value, list):
        return [_thin(v, most) for v in (value if len(value) <= 40 else value[:most])]
    return value


def _bgio() -> list[str]:
    out = []
    for file in sorted((SAMPLES / "boardgame-io").glob("*.json")):
        doc = json.loads(file.read_text("utf-8"))
        if isinstance(doc.get("state"), dict):
            for key in ("_undo", "_redo", "plugins"):
                doc["state"].pop(key, None)
                (doc.get("initialState") or {}).pop(key, None)
            if "log" in doc:
                doc["state"].pop("log", None)
        out += [json.dumps(_thin(doc, n)) for n in (14, 30)]
    return [t for t in out if len(t) < 25_000]


def _bga() -> list[str]:
    archive = json.loads((SAMPLES / "bga" / "bga_archive_logs.json").read_text("utf-8"))
    logs = archive["data"]["logs"]
    live = json.loads((SAMPLES / "bga" / "bga_live_history_viewer_seat2.json").read_text("utf-8"))
    live["data"]["data"] = live["data"]["data"][:16]
    short = {**archive, "data": {**archive["data"], "logs": logs[:24]}}
    inner = json.dumps(logs[:16])
    page = f"<html><script>\ng_gamelogs = {json.dumps(short['data'])};\n</script></html>"
    error = (SAMPLES / "bga" / "bga_error_quota.json").read_text("utf-8")
    ended = {**archive, "data": {**archive["data"], "logs": _ended(logs)}}
    return [json.dumps(short), json.dumps(live), json.dumps(ended), inner, page, error]


def _ended(logs: list[Any]) -> list[Any]:
    """A table whose hand is announced upon, ends early, and has its score told."""
    player = next(
        n["args"]["player_id"] for p in logs for n in p["data"] if n["type"] == "playCard"
    )
    says = [
        {"type": kind, "log": "", "args": {"player_id": player, **more}}
        for kind, more in (("roem", {"value": "50"}), ("stuk", {}), ("denyRoem", {}))
    ]
    out = [*logs[:20], {**logs[19], "data": says}, *logs[-3:]]
    return [{**p, "packet_id": str(i + 1)} for i, p in enumerate(out)]


def _events() -> list[str]:
    full, cut = (sample(f"generic_{n}.jsonl").decode() for n in ("events", "unfinished"))
    head, *events = (json.loads(t) for t in full.splitlines())
    few = [json.dumps(e) for e in events[:20]]
    again = [t.replace('"hand": 1', '"hand": 2') for t in few]
    return [
        full,
        cut,
        "\n".join([json.dumps(head), *few, *again]) + "\n",
        json.dumps({**head, "events": events[:24]}),
        json.dumps({"format": "pandoeren-log", "games": [{**head, "events": events[:16]}]}),
        json.dumps([head, *events[:12]]),
        json.dumps(TRUTH),
        '{"e":"bid","seat":0,"bid":"130"}\n{"e":"pass","seat":1}\n'
        '{"e":"declare","seat":0,"trump":"H","call":"SA"}\n{"e":"play","seat":0,"card":"HJ"}\n'
        '{"e":"roem","seat":0,"value":50}\n{"e":"show","seat":1,"cards":["S7"]}\n'
        '{"e":"run","seat":2,"cards":["S7","S8","S9"]}\n{"e":"undo"}\n{"e":"deny","seat":1}\n'
        '{"e":"result","made":true,"points":[132,14],"score":[1,0,1,0],"tricks":[5,3]}\n',
    ]


def _table() -> list[str]:
    head = ["Actie", "Speler", "Kaart", "Bod", "Punten", "Troef", "Mee"]
    body = rows(dutch, letter)
    return [
        sample("generic.csv").decode(),
        table(";", "\r\n", body, head),
        table("\t", "\n", rows(signs, letter)[:24]),
        table(",", "\n", rows(rank_first, str, undo=True)[:16]),
        "event;seat;card;trump;called\ndeclare;S;;H;SA\nplay;S;HJ;;\nplay;W;H9;;\n",
        "game,hand,event,dealer,middle,cards,seat,player,card,bid,trump,called,declarer,points\n"
        "t1,1,deal,W,H6,,,,,,,,,\nt1,1,hand,,,S9 HT D8,N,An,,,,,,\nt1,1,call,,,,N,An,,130,,,,\n"
        "t1,1,pass,,,,E,Bo,,,,,,\nt1,1,pass,,,,S,Co,,,,,,\nt1,1,pass,,,,W,Di,,,,,,\n"
        "t1,1,discard,,,,N,An,-,,,,,\nt1,1,declare,,,,,,,,-,-,N,\nt1,1,play,,,,N,An,S9,,,,,\n"
        "t1,1,undo,,,,N,An,,,,,,\nt1,1,play,,,,N,An,HT,,,,,\nt1,1,trick,,,,N,,,,,,,\n",
        "actie,wie,kaart,troef,mee,speler,contract,punten,uitslag,maat,cents,waarde,opgegeven,kaarten\n"
        "declare,An,,H,SA,An,punten,150,,,,,,\nplay,An,HJ,,,,,,,,,,,\nroem,An,,,,,,,,,,50,,\n"
        "show,Bo,,,,,,,,,,,,S7\nset,Co,,,,,,,,,,,,SJ HJ DJ CJ\nrun,Co,,,,,,,,,,,,S7 S8 S9\n"
        "deny,Di,,,,,,,,,,,,\nstuk,An,,,,,,,,,,,,\nplay,Bo,?,,,,,,,,,,,\n"
        "result,An,,,,,,132,gehaald,Co,1,,17,\nresult,Bo,,,,,,,,,0,,,\n",
        "event;seat;player;card;trump;called;rules;date\nplayers;;;;;;fiches;28-11-2026\n"
        "play;0;An;HJ;;;fiches;28-11-2026\nplay;1;Bo;H9;;;;\nplay;4;Bo;H8;;;;\n",
        "hand,event,seat,card,trump,called,value,kind\n1,declare,S,,H,SA,,\n1,play,S,HJ,,,,\n"
        "1,claim,S,,,,50,roem\n2,declare,W,,S,HA,,\n2,play,W,SJ,,,,\n2,result,,,,,,\n",
        "sep=;\nevent;seat;card;email\nplay;S;HJ;an@example.org\nplay;W;H9;\nplay;N;H8;b\n",
        "Wat;Wie;Kaart;Telefoon\nspeelt;An;HJ;06-12345678\n;Bo;H9;\n",
    ]


_MOMENTS = (
    ("28 nov 2026", "20:15", "za 28-11-26 om 20.15 uur"),
    ("November 28, 2026", "8:15 pm", "5/13/2026"),
    ("20261128", "20:15:30.5Z", "20261128T20:15"),
    ("46354", "", "46355"),
    ("2026-11-28", "9.05", "?"),
)
"""Dates and times of day as people and programs write them."""


def _scoresheet() -> list[bytes | str]:
    return [
        BY_PLAYER,
        "date,north,east,south,west,declarer,partner,contract,made,trump,called\n"
        "2026-11-28,Anna,Bas,Cor,Dirk,Z,alone,misère,no,hearts,\n"
        "2026-11-28,Anna,Bas,Cor,Dirk,Bas,Dirk,150,yes,S,HA\n",
        "Datum,Speler,Maat,Bod,Gehaald,Score\n2026-11-28,Anna,Cor,misère,ja,3\n",
        *(
            f"Datum;Tijd;Speler;Bod;Gehaald\n{d};{t};Anna;130;ja\n{e};;Bas;mis;nee\n"
            for d, t, e in _MOMENTS
        ),
        "Avond van 28 november 2026\nSpeler;Bod;Gehaald;Punten\nAnna;130;ja;+1\n"
        "Zaterdag 5 december;;;\nBas;mis;nee;-3\nDatum: 12-12-2026;;;\nAnna;150;ja;2\n",
        *(f.read_bytes() for f in sorted(SHEETS.glob("*.csv"))),
    ]


def _typed() -> list[str]:
    return [
        SHORT,
        typed_hand(dutch),
        typed_hand(signs),
        f"{SHORT}\n---\n{SHORT}\n",
        "Zuid: 150, troef harten, mee SA; 1. HB Z:roem 50 H9 N:stuk H7 H8 2. W:SA S7 S8 S9\n"
        "gehaald, punten 132-14 {tot zover}",
        "South (Cor) plays 150; trumps: hearts; calling ace of spades; discards D7;\n"
        "dealer West; result: made 152-0\n1. jack of hearts H9 H7 H8\n2. SA S7 SK S8\n",
        "spelers: An, Bo, Co, Di\nWest: misère, troef ruiten, alleen\nuitslag: gehaald\n",
    ]


def _iss() -> list[str]:
    lines = (SAMPLES / "iss" / "iss_style.sgf").read_text("utf-8").splitlines()
    return [f"{t}\n" for t in lines] + ["\n".join(lines) + "\n"]


def _klaverlive() -> list[str]:
    return [HISTORY, json.dumps(STATE), json.dumps({**STATE, "History": STATE["History"][:1]})]


def _exported() -> list[str]:
    lines = [t.strip() for t in _phl()[:30:3]]
    return [
        "".join(json.dumps({"id": str(i), "contract": "130", "phl": t}) + "\n"
                for i, t in enumerate(lines[:3])),
        *(json.dumps({"phl": t}) + "\n" for t in lines[3:]),
        "id;contract;phl\n" + "".join(f"{i};130;{t}\n" for i, t in enumerate(lines[:3])
                                      if ";" not in t and '"' not in t),
        "phl,date\n" + "".join(f'"{t}",2026-11-28\n' for t in lines[3:5] if '"' not in t),
    ]  # fmt: skip


def _mapping() -> list[str]:
    """``--map`` files that use everything there is."""
    whole = (
        'name = "Troef"\nrules = "heerlen"\n[cards]\nlanguage = "nl"\norder = "suit-first"\n'
        'suits = { "1" = "S", "2" = "H", "3" = "D", "4" = "C" }\nranks = { "13" = "A" }\n'
        '[seats]\norder = ["S", "W", "N", "E"]\nfirst = 1\nnames = { "Anna" = "N" }\n'
        '[dates]\norder = "day-first"\n[moves]\nplay = ["legt", "gooit"]\ndeclare = "kiest"\n'
        '[fields]\ncard = "kaartje"\n[columns]\ndeclarer = "Wie"\noutcome = "Hoe"\n'
        'contract = "Wat"\nevent = "gebeurt"\nseat = "plaats"\n[calls]\n"de grote" = "200"\n'
        '[results]\nbinnen = "made"\n'
    )
    parts = [f"[{t}" for t in whole.split("\n[")[1:]]
    return [whole, *parts, 'format = "scoresheet"\n' + parts[5], 'rules = "fiches"\n']


def _auto() -> list[bytes | str]:
    """One of each, and some of them packed."""
    small = [_phl()[0], _phn()[0], _events()[-1], _table()[-1], BY_PLAYER, SHORT, _iss()[1]]
    out: list[bytes | str] = [*small, OTHERS[0][1]]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as z:
        for i, text in enumerate(small):
            z.writestr(f"map/{i}.txt", text)
    out.append(packed.getvalue())
    out += [gzip.compress(t.encode(), mtime=0) for t in small[:3]]
    out += [small[3].encode("utf-16"), small[4].encode("cp1252"), "\ufeff" + small[5]]
    out += [*_packed(small[3], small[4]), *_match(), _table_of_hands()]
    more = [*_klaverlive(), *_exported()[:2], *_iss()[2:4], *_typed()[1:4], *_table()[1:4]]
    return [*out, *more, *_scoresheet()[1:4], *_bgio()[:1], *_json_faults(), *_cut_texts()]


def _packed(table_text: str, sheet_text: str) -> list[bytes]:
    """An archive in an archive, members of odd names, and a workbook."""
    import polars as pl

    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("a.csv.gz", gzip.compress(table_text.encode(), mtime=0))
        z.writestr("__MACOSX/._a.csv", b"\0")
        z.writestr("README.md", b"# tekst")
        z.writestr("f.pdf", b"%PDF-1.4")
    outer = io.BytesIO()
    with zipfile.ZipFile(outer, "w") as z:
        z.writestr("in.zip", inner.getvalue())
        z.writestr("leeg/", b"")
    book = io.BytesIO()
    lines = [r.split(";") for r in sheet_text.splitlines()]
    pl.DataFrame(lines[1:], schema=lines[0], orient="row").write_excel(book)
    deep = inner.getvalue()
    for _ in range(3):
        more = io.BytesIO()
        with zipfile.ZipFile(more, "w") as z:
            z.writestr("weer.zip", deep)
            z.writestr("regels.toml", b'rules = "heerlen"')
        deep = more.getvalue()
    thrice = gzip.compress(gzip.compress(gzip.compress(table_text.encode(), mtime=0)))
    locked = bytearray(outer.getvalue())
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        locked[locked.index(mark) + flags] |= 1  # says that it is encrypted
    empty = io.BytesIO()
    zipfile.ZipFile(empty, "w").close()
    none = io.BytesIO()
    pl.DataFrame({"phl": []}, schema={"phl": pl.String}).write_parquet(none)
    tar = bytes(257) + b"ustar\x0000" + bytes(248)
    return [
        inner.getvalue(),
        outer.getvalue(),
        book.getvalue(),
        deep,
        thrice,
        bytes(locked),
        tar,
        empty.getvalue(),
        none.getvalue(),
        gzip.compress(outer.getvalue(), mtime=0),
    ]


def _match() -> list[bytes]:
    """A match of boardgame.io in two files of one folder, in an archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        for i, text in enumerate(_bgio()[:2]):
            z.writestr(f"avond/{i}.json", text)
    return [out.getvalue()]


def _table_of_hands() -> bytes:
    """An exported table of hands in Parquet."""
    import polars as pl

    out = io.BytesIO()
    pl.DataFrame({"id": ["1", "2"], "phl": [t.strip() for t in _phl()[:2]]}).write_parquet(out)
    return out.getvalue()


def _json_faults() -> list[str]:
    """Valid documents of a server with one field more: faults of JSON itself, and none."""
    state = json.dumps(STATE)[:-1]
    values = (
        '"\\ud83d"', '"\\ud83c\\udca1"', "[" * 210 + "]" * 210, "[1]," * 210 + "[]", "NaN", "1.5",
        "1e999", "9" * 5000,
    )  # fmt: skip
    return [f'{state},"more":[{v}]}}' for v in values]


def _cut_texts() -> list[bytes]:
    """Texts that end inside a character, and encodings that few programs write."""
    text = f"{SHORT} {{café}}; mooi hé"
    return [
        text.encode()[:-1],
        text.encode("utf-16")[:-1],
        text.encode("utf-32"),
        text.encode("utf-16-be"),
        b"\0\1\2" + text.encode(),
    ]


_SEEDS: dict[str, Callable[[], Any]] = {
    "phl": _phl,
    "phl-bytes": _phl,
    "phn": _phn,
    "events": _events,
    "table": _table,
    "scoresheet": _scoresheet,
    "typed": _typed,
    "iss": _iss,
    "klaverlive": _klaverlive,
    "bga": _bga,
    "boardgame-io": _bgio,
    "exported": _exported,
    "other-game": lambda: [text for _, text in OTHERS],
    "mapping": _mapping,
    "auto": _auto,
}
