"""Damage with a plan: changes that know what JSON, tables, notation and typed text are made of.

Everything is drawn from one :class:`random.Random`, so that an input follows from parser, seed
number and nothing else.
"""

import csv
import io
import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

_CARDS = [s + r for s in "SHDC" for r in "AKQJT987"] + ["H6"]
_WORDS = [
    *_CARDS, *("S9", "H10", "RB", "KV", "HH", "HK", "KH", "♠A", "♥10", "♦️B", "10♣", "schoppenaas"),
    *("harten boer", "ace of spades", "S5", "X1", "??", "?", "-", "", "null", "0", "1", "3", "4"),
    *("5", "-1", "120", "130", "145", "150", "200", "1000", "99999999999", "1e9", "0.5", "1,5"),
    *("N", "E", "S", "W", "Zuid", "noord", "O", "Z", "Anna", "Eva", "M", "pas", "pass", "misère"),
    *("mis", "pic", "pan+20", "pan+21", "zwabber", "solo-zwabber", "praatje", "troela", "130,0"),
    *("harten", "trump", "geen", "alleen", "ja", "nee", "x", "✓", "gehaald", "nat", "void"),
    *("made", "lost", "undo", "deal", "hand", "play", "declare", "roem", "roem50", "stuk", "deny"),
    *("heerlen", "fiches", "limburg", "butselaar", "nergens", "heerlen@0", "2026-11-28", "1-2-3"),
    *("28-11-2026", "31-2-2026", "Totaal", "MAKE_MOVE", "UNDO", "REDO", "GAME_EVENT", "playCard"),
]  # fmt: skip
_JUNK = ["\x00", "\ufeff", "\u2028", "\x85", "\t", "\r", "\n", "\r\n", '"', "'", "{", "}", "[", "]",
         "(", ")", ";", ",", ":", "=", "|", "/", "\\", "%", "%2", "%zz", "#", "*", "$7", "é", "٣",
         "²", "Ⅷ", "İ", "ß", "😀", "\ud800", "[Rules \"", "(;", "((", "{{", " ", "  "]  # fmt: skip
_TOKEN = re.compile(r"[^\s,;:|/\"'\[\](){}=]+")

Mutation = Callable[[Random, str], str]


def mutate(rng: Random, data: bytes, json_like: bool, table_like: bool) -> bytes:
    """A damaged copy of a file: one to three changes, most of them with a plan, some blind."""
    out = data
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        try:
            text = out.decode("utf-8")
        except UnicodeDecodeError:
            out = blind(rng, out)
            continue
        draw = rng.random()
        if draw < 0.15:
            out = blind(rng, out)
            continue
        if draw < 0.18:
            return rng.choice(_ENCODINGS)(text)
        planned: list[Mutation] = [tokens, tokens, lines, characters]
        if json_like:
            planned += [tree, tree, tree]
        if table_like:
            planned += [cells, cells, cells]
        out = rng.choice(planned)(rng, text).encode("utf-8", "surrogatepass")
    return out


_ENCODINGS: tuple[Callable[[str], bytes], ...] = (
    lambda t: t.encode("utf-16", "replace"),
    lambda t: t.encode("utf-16-le", "replace"),
    lambda t: t.encode("utf-8-sig", "replace"),
    lambda t: t.encode("cp1252", "replace"),
    lambda t: t.replace("\n", "\r\n").encode("utf-8", "replace"),
    lambda t: t.replace("\n", "\r").encode("utf-8", "replace"),
    lambda t: t.rstrip("\n").encode("utf-8", "replace"),
    lambda t: (t + t).encode("utf-8", "replace"),
)


def blind(rng: Random, data: bytes) -> bytes:
    """Bytes set, put in, taken out, doubled, or the end cut off."""
    out = bytearray(data) or bytearray(b" ")
    at = rng.randrange(len(out))
    match rng.randrange(6):
        case 0:
            out[at] = rng.randrange(256)
        case 1:
            out[at:at] = rng.randbytes(rng.choice((1, 1, 2, 8)))
        case 2:
            del out[at : at + rng.choice((1, 1, 2, 5, 30))]
        case 3:
            del out[at:]
        case 4:
            out[at:at] = out[at : at + rng.choice((1, 5, 40, 200))]
        case _:
            out[at] ^= 1 << rng.randrange(8)
    return bytes(out)


def tokens(rng: Random, text: str) -> str:
    """A word replaced by another of the trade, swapped with its like, doubled or left out."""
    found = list(_TOKEN.finditer(text))
    if not found:
        return text + rng.choice(_WORDS)
    m = rng.choice(found)
    match rng.randrange(7):
        case 0 | 1:
            new = rng.choice(_WORDS)
        case 2 | 3:
            like = [o[0] for o in found if len(o[0]) == len(m[0]) and o[0] != m[0]]
            new = rng.choice(like) if like else ""
        case 4:
            new = f"{m[0]} {m[0]}"
        case 5:
            new = ""
        case _:
            at = rng.randrange(len(m[0]))
            new = m[0][:at] + rng.choice("SHDCAKQJT9876NEW-?0123") + m[0][at + 1 :]
    return text[: m.start()] + new + text[m.end() :]


def lines(rng: Random, text: str) -> str:
    """A line left out, doubled, moved, emptied or cut."""
    parts = text.split("\n")
    i, j = rng.randrange(len(parts)), rng.randrange(len(parts))
    match rng.randrange(6):
        case 0:
            del parts[i]
        case 1:
            parts.insert(j, parts[i])
        case 2:
            parts[i], parts[j] = parts[j], parts[i]
        case 3:
            parts[i] = parts[i][: rng.randrange(len(parts[i]) + 1)]
        case 4:
            parts.insert(j, rng.choice(("", " ", "# x", "---", ";;;", "\ufeff")))
        case _:
            del parts[i:]
    return "\n".join(parts)


def characters(rng: Random, text: str) -> str:
    """Odd characters put in or over others."""
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(_JUNK) + text[at + rng.choice((0, 0, 1, 3)) :]


# JSON -------------------------------------------------------------------------------------------


def _values() -> list[Any]:
    numbers = [0, 1, 3, 4, -1, 33, 150, 1e999, 0.5, 10**18]
    texts = ["", "?", "S", "HA", "7", "pas", "x" * 300]
    nested = [[], {}, [None], [[]], {"suit": "s"}, {"suit": 1, "rank": 14}]
    return [None, True, False, *numbers, *texts, *nested]


def tree(rng: Random, text: str) -> str:
    """A value of a JSON document (or of one line of JSON Lines) replaced, moved or left out."""
    for whole in (True, False):
        parts = [text] if whole else text.split("\n")
        at = 0 if whole else rng.randrange(len(parts))
        try:
            doc = json.loads(parts[at])
        except (ValueError, RecursionError):
            continue
        doc = _in_tree(rng, doc)
        parts[at] = json.dumps(doc, ensure_ascii=rng.random() < 0.5)
        return "\n".join(parts)
    return tokens(rng, text)


def _in_tree(rng: Random, doc: Any) -> Any:
    spots: list[tuple[Any, Any]] = []
    stack = [doc] if isinstance(doc, (dict, list)) else []
    while stack:
        node = stack.pop()
        for key in node if isinstance(node, dict) else range(len(node)):
            spots.append((node, key))
            if isinstance(node[key], (dict, list)):
                stack.append(node[key])
    if not spots:
        return rng.choice(_values())
    node, key = rng.choice(spots)
    match rng.randrange(7):
        case 0:
            node[key] = rng.choice(_values())
        case 1:
            node[key] = rng.choice(_WORDS)
        case 2:
            del node[key]
        case 3:
            other, there = rng.choice(spots)
            node[key] = json.loads(json.dumps(other[there]))
        case 4:
            copy = json.loads(json.dumps(node[key]))
            if isinstance(node, list):
                node.insert(key, copy)
            else:
                node[f"{key}2"] = copy
        case 5:
            value = node[key]
            node[key] = value + rng.choice((1, -1, 30)) if isinstance(value, int) else str(value)
        case _:
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            there = rng.choice(keys)
            node[key], node[there] = node[there], node[key]
    return doc


# Tables -----------------------------------------------------------------------------------------


def cells(rng: Random, text: str) -> str:
    """A cell, row or column of a table changed, or the whole written with another separator."""
    head = text.split("\n", 1)[0]
    mark = max(",;\t|", key=head.count)
    try:
        rows = [r for r in csv.reader(io.StringIO(text), delimiter=mark) if r]
    except csv.Error:
        return lines(rng, text)
    if not rows:
        return text
    i = rng.randrange(len(rows))
    j = rng.randrange(len(rows[i]))
    match rng.randrange(8):
        case 0 | 1:
            rows[i][j] = rng.choice(_WORDS)
        case 2:
            k = rng.randrange(len(rows))
            rows[i][j] = rows[k][j] if j < len(rows[k]) else ""
        case 3:
            rows = [r[:j] + r[j + 1 :] for r in rows]
        case 4:
            k = rng.randrange(len(rows[0]))
            rows = [_swapped(r, j, k) for r in rows]
        case 5:
            rows.insert(rng.randrange(len(rows) + 1), list(rows[i]))
        case 6:
            rows[i] = rows[i][:j]
        case _:
            mark = rng.choice(",;\t|")
    out = io.StringIO()
    csv.writer(out, delimiter=mark, lineterminator="\n").writerows(rows)
    return out.getvalue()


def _swapped(row: list[str], j: int, k: int) -> list[str]:
    out = list(row)
    if j < len(out) and k < len(out):
        out[j], out[k] = out[k], out[j]
    return out


# Private fields -----------------------------------------------------------------------------------

SECRET = "Zq9Xk2Vb"
_KEYS = ("credentials", "playerCredentials", "authToken", "password", "email", "ipAddress")


def with_secret(rng: Random, text: str) -> str | None:
    """A JSON document with a private field put in somewhere, perhaps cut inside its value."""
    try:
        doc = json.loads(text)
    except (ValueError, RecursionError):
        return None
    spots = []
    stack = [doc] if isinstance(doc, (dict, list)) else []
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            spots.append(node)
        stack += [
            v for v in (node.values() if isinstance(node, dict) else node)
            if isinstance(v, (dict, list))
        ]  # fmt: skip
    if not spots:
        return None
    value: Any = rng.choice((SECRET, {"0": SECRET}, [SECRET, 1], f'a"{SECRET}'))
    rng.choice(spots)[rng.choice(_KEYS)] = value
    out = json.dumps(doc)
    return out[: out.index(SECRET) + rng.choice((4, 8))] if rng.random() < 0.3 else out
