"""Private fields: out of records, raw texts, tokens and messages, whatever the format."""

import json

import pytest

from parsers.base import Options, Source
from parsers.detect import read_sources
from parsers.private import is_private_key, scrub, scrub_text, scrub_token
from tests.parsers.told import RULES, sample

BY = Options(rules=RULES)


@pytest.mark.parametrize(
    "key",
    ["credentials", "playerCredentials", "player_credentials", "auth-token", "accessToken",
     "E-mail", "E-mailadres", "e-mail adres", "Tel.", "Telefoon", "mobiel", "IP", "ipAddress",
     "Adres", "wachtwoord", "apiKey", "Geboortedatum", "player.email"],
)  # fmt: skip
def test_private_keys(key):
    assert is_private_key(key)


@pytest.mark.parametrize("key", ["secret", "tokens", "card", "speler", "hotel", "ship", "naam", ""])
def test_other_keys(key):
    assert not is_private_key(key)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ('{"a":1,"password":"x y","b":2}', '{"a":1,"password":"[removed]","b":2}'),
        ('{"password": {"a": ["s1", "s2"]}, "b": 2}', '{"password": "[removed]", "b": 2}'),
        ('{"token":12345,"b":2}', '{"token":"[removed]","b":2}'),
        ('{"token":null}', '{"token":"[removed]"}'),
        ('{"authToken":"half', '{"authToken":"[removed]"'),
        ('{"authToken":{"0":"half', '{"authToken":"[removed]"'),
        ("{'wachtwoord': 'x y', 'b': 1}", "{'wachtwoord': '[removed]', 'b': 1}"),
        (
            r'{"json":"{\"token\":\"abc\",\"b\":1}"}',
            r'{"json":"{\"token\":\"[removed]\",\"b\":1}"}',
        ),
        ('7;"{""token"": ""abc"", ""b"": 1}"', '7;"{""token"": ""[removed]"", ""b"": 1}"'),
        ('7;"{""token"": 12, ""b"": 1}"', '7;"{""token"": ""[removed]"", ""b"": 1}"'),
        (r'{"t\u006fken": "abc"}', r'{"t\u006fken": "[removed]"}'),
        ('{"token" : "a\\"b"}', '{"token" : "[removed]"}'),
        ("Jan <jan@club.nl> zei", "Jan <[removed]> zei"),
        ('{"card":"HA"}', '{"card":"HA"}'),
    ],
)
def test_raw_text(text, clean):
    assert scrub_text(text) == clean
    assert scrub_text(clean) == clean


def test_text_from_the_middle_of_a_value():
    text = '{"a": 1, "token": "abcdef", "b": 2}'
    at = text.index("cdef")
    assert scrub_text(text, at) == '[removed], "b": 2}'
    assert scrub_text(text, text.index('"b"')) == '"b": 2}'
    assert scrub_token("cdef", text, scrub_text(text)) == "[removed]"
    assert scrub_token('"b"', text, scrub_text(text)) == '"b"'


def test_values():
    doc = {"players": [{"name": "An", "playerCredentials": "x"}], "metadata": {"ipAddress": "1"}}
    assert scrub(doc) == {"players": [{"name": "An"}], "metadata": {}}


SECRET = "Zq9Xk2Vb"


def events(where: str) -> bytes:
    head, *rest = [json.loads(t) for t in sample("generic_events.jsonl").decode().splitlines()]
    target = head if where == "head" else rest[3]
    target["playerCredentials"] = {"0": SECRET}
    return "".join(json.dumps(o) + "\n" for o in [head, *rest]).encode()


@pytest.mark.parametrize(
    "data",
    [
        events("head"),
        events("row"),
        events("row")[: events("row").index(SECRET.encode()) + 4],
        b'{"events": [' + events("row").replace(b"\n", b",")[:-1] + b"]}",
        f"event;seat;card;telefoon\nplay;N;HA;{SECRET}\nplay;E;H7;\n".encode(),
        f"event;seat;card;telefoon\nplay;N;H5;{SECRET}\n".encode(),
        f"Speler;Bod;Gehaald;E-mail\nAnna;130;ja;{SECRET}\nBas;130;hm;{SECRET}\n".encode(),
        f"Naam;Bod;Tel.\nAnna;130;{SECRET}\n".encode(),
        f'{{"state":{{"G":{{}}}},"log":[],"credentials":"{SECRET}'.encode(),
        f'[{{"channel":"x","packet_id":1,"move_id":1,"data":[],"token":"{SECRET}'.encode(),
    ],
)
def test_nothing_private_comes_through(data):
    result = read_sources([Source("x", data)], BY)
    assert result.hands or result.rejects or result.empty
    kept = [h.raw for h in result.hands] + [r.raw + r.token + r.expected for r in result.rejects]
    kept += [w.message for w in result.warnings] + [w for h in result.hands for w in h.warnings]
    kept += [repr(h.record) for h in result.hands]
    assert not any(SECRET[:4] in text for text in kept)
