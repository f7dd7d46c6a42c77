"""Rule-set files: what is wrong with one is said with file, line, key and what is allowed."""

import typing
from pathlib import Path

import pytest

from engine import ruleset as schema
from engine.cards import SUITS, card, mask_of, names
from engine.rulefile import (
    BUILTIN_IDS,
    MAX_BYTES,
    RuleSetError,
    UnknownRuleSet,
    load_ruleset,
    parse_ruleset,
)
from engine.ruleset import RuleSet

ROOT = Path(__file__).parents[1]
HOUSE_FILE = ROOT / "data" / "rules" / "zilveren-troef.toml"
HOUSE_DOC = ROOT / "docs" / "house-rules.md"

HEAD = 'id = "club"\nbase = "heerlen"\n'  # lines 1 and 2: what is wrong begins on line 3
LOW = """[contracts.low]
name = { en = "low", nl = "laag" }
partner = "none"
trump = true
score = 1
"""

# name of the case: (what follows the head, what the one message must say)
BROKEN = {
    "unknown-key": ('colour = "red"\n', ["club.toml:3:", "'colour'", "allowed", "base, id, name"]),
    "unknown-key-misspelt": (
        "[play]\nmust_overtrum = true\n",
        ["club.toml:4:", "'play.must_overtrum'", "did you mean 'must_overtrump'", "jas_exempt"],
    ),
    "unknown-key-in-contract": (
        "[contracts.pandoer]\nscore = 4\nscores = 4\n",
        ["club.toml:5:", "'contracts.pandoer.scores'", "did you mean 'score'", "own_jas"],
    ),
    "wrong-type": (
        "[play]\njas_exempt = 1\n",
        ["club.toml:4:", "'play.jas_exempt' is 1", "true or false"],
    ),
    "text-for-number": (
        '[contracts.pandoer]\nscore = "5"\n',
        ["club.toml:4:", "'contracts.pandoer.score' is \"5\"", "a whole number, without quotes"],
    ),
    "fraction": (
        "[contracts.pandoer]\nscore = 2.5\n",
        ["club.toml:4:", "'contracts.pandoer.score' is 2.5", "a whole number"],
    ),
    "negative-score": (
        "[contracts.pandoer]\nscore = -5\n",
        ["club.toml:4:", "'contracts.pandoer.score' is -5", "expected 1 or more"],
    ),
    "score-too-high": (
        "[contracts.pandoer]\nscore = 1001\n",
        ["club.toml:4:", "'contracts.pandoer.score' is 1001", "expected 1000 or less"],
    ),
    "unknown-word": (
        '[play]\nmust_trump = "sometimes"\n',
        ["club.toml:4:", "'play.must_trump' is \"sometimes\"", "'never', 'when-void' or 'always'"],
    ),
    "unknown-goal": (
        '[contracts.pandoer]\ngoal = "most"\n',
        ["club.toml:4:", "\"most\"; allowed: 'points', 'all', 'none'", "'jas-and-all'"],
    ),
    "unknown-word-in-one-line-table": (
        'play = { must_trump = "x" }\n',
        ["club.toml:3:", "'play.must_trump'", "'when-void'"],
    ),
    "text-for-table": ('play = "free"\n', ["club.toml:3:", "'play' is \"free\"", "a table"]),
    "contract-lacks-a-key": (
        LOW.replace('partner = "none"\n', "") + "levels = [90]\ngoal = 'points'\n",
        ["club.toml:3:", "key 'contracts.low.partner' is missing"],
    ),
    "order-names-unknown-contract": (
        '[auction]\norder = ["points-120", "points-125"]\n',
        ["club.toml:4:", "'auction.order' names 'points-125'", "there: points-120, piccolo"],
    ),
    "order-names-one-twice": (
        '[auction]\norder = ["piccolo", "misere", "piccolo"]\n',
        ["club.toml:4:", "'auction.order' names 'piccolo' twice"],
    ),
    "same-bid-twice": (
        LOW + 'levels = [120]\ngoal = "points"\n[auction]\norder = ["low", "points-120"]\n',
        ["club.toml:11:", "'low' and 'points-120' have the same bid '120'"],
    ),
    "empty-order": (
        "[auction]\norder = []\n",
        ["club.toml:4:", "'auction.order' is []", "at least one item"],
    ),
    "rank-missing-in-order": (
        '[cards]\nplain_order = "AKQJT987"\n',
        ["club.toml:4:", "'cards.plain_order'", "A K Q J T 9 8 7 6 once"],
    ),
    "points-of-unknown-rank": (
        "[cards]\nplain_points = { A = 11, X = 3 }\n",
        ["club.toml:4:", "'cards.plain_points'", "'X' is not a rank", "A K Q J T 9 8 7 6"],
    ),
    "negative-points": (
        "[cards.plain_points]\nA = 11\nT = -3\n",
        ["club.toml:5:", "'cards.plain_points.T' is -3", "expected 0 or more"],
    ),
    "levels-do-not-rise": (
        "[contracts.points-120]\nscore = 1\nlevels = [130, 120]\n",
        ["club.toml:5:", "'contracts.points-120'", "'levels' must rise"],
    ),
    "text-among-levels": (
        '[contracts.points-120]\nlevels = [120, "130"]\n',
        ["club.toml:4:", "'contracts.points-120.levels[2]' is \"130\"", "a whole number"],
    ),
    "levels-and-code": (
        "[contracts.piccolo]\nlevels = [90]\n",
        ["club.toml:4:", "'contracts.piccolo'", "either 'levels'", "or 'code'"],
    ),
    "neither-levels-nor-code": (
        LOW + 'goal = "all"\n',
        ["club.toml:3:", "'contracts.low'", "either 'levels'", "or 'code'"],
    ),
    "unwritable-code": (
        '[contracts.piccolo]\ncode = "xyz"\n',
        ["club.toml:4:", "'code' is 'xyz'", "pic, mis, ker"],
    ),
    "plus-without-pandoer": (
        "[contracts.prive]\nplus_step = 20\n",
        ["club.toml:4:", "'contracts.prive'", "'plus_step' needs", 'code = "pan"'],
    ),
    "goal-needs-trumps": (
        "[contracts.kereltje]\ntrump = false\n",
        ["club.toml:3:", "'contracts.kereltje'", "needs trump = true"],
    ),
    "run-of-nine": (
        "[meld]\nruns = { 3 = 20, 9 = 200 }\n",
        ["club.toml:4:", "'meld.runs'", "'9' is not a length of a run", "3 to 8"],
    ),
    "ranking-lacks-a-kind": (
        '[meld]\ndeny = true\nranking = ["run3"]\n',
        ["club.toml:5:", "'ranking' lacks run4, which has a value"],
    ),
    "unknown-kind-in-ranking": (
        '[meld]\nranking = ["run33"]\n',
        ["club.toml:4:", "'run33'", "run3 … run8 or fourA … four7"],
    ),
    "stake-below-ante": (
        '[score]\nsystem = "chips"\nstake = 3\nante = 5\n',
        ["club.toml:5:", "'score.stake' is 3", "ante of 5"],
    ),
    "decision-without-dutch": (
        '[[decisions]]\nkey = "a"\nen = "b"\nnl = "c"\n[[decisions]]\nkey = "d"\nen = "e"\n',
        ["club.toml:7:", "key 'decisions[2].nl' is missing"],
    ),
    "invalid-toml": (
        "[play]\nmust_trump = never\n",
        ["club.toml:4:14:", "not valid TOML", "Invalid value"],
    ),
    "toml-that-stops": ('x = """abc\n', ["club.toml:3:", "not valid TOML", "Unterminated string"]),
    "toml-too-deep": ("x = " + "[" * 50_000, ["club.toml:", "nested too deeply"]),
    "endless-number": ("x = " + "9" * 5_000, ["club.toml:", "a number of thousands of digits"]),
}


def message(text: str, folder: Path | None = None) -> str:
    with pytest.raises(RuleSetError) as caught:
        parse_ruleset(text, "club.toml", folder)
    return str(caught.value)


@pytest.mark.parametrize("case", BROKEN)
def test_broken_file(case):
    body, fragments = BROKEN[case]
    text = message(HEAD + body)
    for fragment in fragments:
        assert fragment in text
    assert len(text.splitlines()) == 1
    assert "pydantic" not in text
    assert "input should be" not in text.lower()


def test_every_mistake_has_its_own_line():
    text = message(HEAD + 'x = 1\n[play]\nfoo = 1\njas_exempt = "yes"\n')
    assert sorted(line[:12] for line in text.splitlines()) == [
        "club.toml:3:",
        "club.toml:5:",
        "club.toml:6:",
    ]


def test_missing_keys_without_a_base():
    text = message('id = "club"\n[name]\nen = "Club"\nnl = "Club"\n')
    assert text.startswith("club.toml: keys source, cards, deal, auction, contracts,")
    assert 'set base = "heerlen"' in text
    assert len(text.splitlines()) == 1


@pytest.mark.parametrize("given", ["Club Zilver", "", "club.v2", "-club", "x" * 41])
def test_illegal_id(given):
    text = message(f'base = "heerlen"\nid = "{given}"\n')
    assert text.startswith("club.toml:2: 'id' is ")
    assert "small letters, digits, - and _ only, at most 40" in text


def test_a_file_without_id_is_not_taken_for_its_base():
    assert parse_ruleset('base = "heerlen"\n', "rules/Onze Club.toml").id == "onze-club"


@pytest.mark.parametrize("given", ['"heerlem"', '"other.toml"', '"."', '""'])
def test_unknown_base(given, tmp_path):
    text = message(f'id = "club"\nbase = {given}\n', tmp_path)
    assert text.startswith(f"club.toml:2: 'base' names {given}".replace('"', "'"))
    assert "heerlen, heerlen-literal, fiches" in text
    assert "nor a file beside this one" in text


def test_base_that_is_no_text():
    assert message('id = "club"\nbase = 3\n') == "club.toml:2: 'base' is 3; expected a text"


def test_circular_bases(tmp_path):
    (tmp_path / "a.toml").write_text('id = "a"\nbase = "b.toml"\n', "utf-8")
    (tmp_path / "b.toml").write_text('id = "b"\n\nbase = "a.toml"\n', "utf-8")
    with pytest.raises(RuleSetError) as caught:
        load_ruleset(tmp_path / "a.toml")
    text = str(caught.value)
    assert "'base' goes round in a circle (b.toml -> a.toml -> b.toml)" in text
    assert f"{tmp_path / 'a.toml'}:2: " in text


def test_a_mistake_in_the_base_is_reported_there(tmp_path):
    (tmp_path / "region.toml").write_text(
        'id = "region"\nbase = "heerlen"\n[play]\nmust_trump = "x"\n', "utf-8"
    )
    club = tmp_path / "club.toml"
    club.write_text('id = "club"\nbase = "region.toml"\n[play]\njas_exempt = false\n', "utf-8")
    with pytest.raises(RuleSetError) as caught:
        load_ruleset(club)
    assert str(caught.value).startswith(f"{tmp_path / 'region.toml'}:4: 'play.must_trump'")


def test_a_base_beside_the_file(tmp_path):
    (tmp_path / "region.toml").write_text(
        'id = "region"\nbase = "heerlen"\n[play]\nmust_trump = "always"\n', "utf-8"
    )
    club = tmp_path / "club.toml"
    club.write_text('id = "club"\nbase = "region.toml"\n[meld]\nstuk = 30\n', "utf-8")
    rules = load_ruleset(club)
    assert (rules.id, rules.play.must_trump, rules.meld.stuk) == ("club", "always", 30)
    assert rules.cards == load_ruleset("heerlen").cards


def load_bytes(tmp_path: Path, data: bytes) -> str:
    path = tmp_path / "club.toml"
    path.write_bytes(data)
    with pytest.raises(RuleSetError) as caught:
        load_ruleset(path)
    text = str(caught.value)
    assert text.startswith(str(path))
    return text[len(str(path)) :]


def test_not_utf8(tmp_path):
    text = load_bytes(tmp_path, HEAD.encode() + '[name]\nen = "misère"\n'.encode("cp1252"))
    assert text.startswith(":4: not a UTF-8 text (byte 0xE8")
    assert "save the file as UTF-8" in text


def test_too_large(tmp_path):
    text = load_bytes(tmp_path, b"#" * (MAX_BYTES + 1))
    assert text == f": too large for a rule-set file (over {MAX_BYTES} bytes)"


def test_missing_file(tmp_path):
    path = tmp_path / "none.toml"
    with pytest.raises(RuleSetError) as caught:
        load_ruleset(path)
    assert str(caught.value) == f"{path}: cannot be read (No such file or directory)"


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "club.toml").mkdir()
    with pytest.raises(RuleSetError, match="cannot be read"):
        load_ruleset(tmp_path / "club.toml")


@pytest.mark.parametrize("name", ["midden-nederland", "", "HEERLEN", "a\0b"])
def test_unknown_name(name):
    with pytest.raises(UnknownRuleSet) as caught:
        load_ruleset(name)
    assert all(known in str(caught.value) for known in (repr(name), *BUILTIN_IDS, "--rules"))


def test_byte_order_mark_and_windows_line_ends(tmp_path):
    path = tmp_path / "club.toml"
    path.write_bytes(b"\xef\xbb\xbf" + HEAD.replace("\n", "\r\n").encode() + b"[meld]\r\nstuk = 9")
    assert load_ruleset(path).meld.stuk == 9
    text = load_bytes(tmp_path, HEAD.replace("\n", "\r\n").encode() + b"[meld]\r\nstuk = -1\r\n")
    assert text.startswith(":4: 'meld.stuk' is -1")


@pytest.mark.parametrize("rules", BUILTIN_IDS)
def test_built_in_rule_sets_load_and_differ(rules):
    loaded = load_ruleset(rules)
    assert loaded.id == rules
    others = {load_ruleset(other).content_hash for other in BUILTIN_IDS if other != rules}
    assert loaded.content_hash not in others


def test_texts_do_not_change_the_hash_and_rules_do():
    base = load_ruleset("heerlen").content_hash
    renamed = '[name]\nen = "Club"\nnl = "Club"\n[contracts.pandoer.name]\nen = "p"\nnl = "p"\n'
    assert parse_ruleset(HEAD + renamed, "club.toml").content_hash == base
    stricter = parse_ruleset(HEAD + '[play]\nundertrump = "allowed"\n', "club.toml")
    assert stricter.content_hash != base


# --- The club of docs/house-rules.md -------------------------------------------------------------


def legal(rules: RuleSet, trump: str, hand: str, trick: str) -> str:
    tables, t = rules.tables, SUITS.index(trump)
    table = [card(trick[i : i + 2]) for i in range(0, len(trick), 2)]
    best = table[0]
    for c in table[1:]:
        best = c if tables.wins(t, best, c) else best
    held = mask_of(card(hand[i : i + 2]) for i in range(0, len(hand), 2))
    return "".join(names(tables.legal(t, held, table[0], best)))


def test_the_clubs_rules():
    club, base = load_ruleset(HOUSE_FILE), load_ruleset("heerlen")
    assert club.id == "zilveren-troef"
    lowest, next_row = club.bid("100"), club.bid("120")
    assert lowest.rank == (0, 100)
    assert lowest.target == 100
    assert lowest.rank < club.bid("110").rank < next_row.rank
    assert base.bid("100") is None
    scores = {text: club.bid(text).contract.score for text in ("100", "120", "150", "170", "mis")}
    assert scores == {"100": 1, "120": 2, "150": 3, "170": 3, "mis": 4}
    assert (club.bid("pan").contract.score, club.bid("pan+40").contract.score) == (8, 8)
    assert (club.meld.deny, base.meld.deny) == (False, True)
    assert club.meld.runs == base.meld.runs
    assert club.match.hands == 16
    assert {d.key for d in club.decisions} == {d.key for d in base.decisions} | {
        "play.must_overtrump"
    }


@pytest.mark.parametrize(
    ("hand", "trick", "expected"),
    [
        ("HAH7D8", "SAHT", "HA"),  # void, and a higher trump is held
        ("HAH7D8", "SAH9", "HAH7"),  # void, none is higher: any trump
        ("HTD8", "SA", "HT"),  # void: trump
        ("HJD8", "SA", "HJD8"),  # the jas is not forced
        ("S7HAH7D8", "SAHT", "S7HA"),  # able to follow: follow, or overtrump
    ],
)
def test_the_clubs_play(hand, trick, expected):
    assert legal(load_ruleset(HOUSE_FILE), "H", hand, trick) == expected


def test_the_document_shows_the_file_as_it_is():
    _, _, rest = HOUSE_DOC.read_text("utf-8").partition("```toml\n")
    assert rest.partition("```")[0] == HOUSE_FILE.read_text("utf-8")


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('must_trump = "when-void"', 'must_trump = "sometimes"'),
        ("must_overtrump = true", "must_overtrum = true"),
        ('"points-100", "points-120"', '"points-110", "points-120"'),
    ],
)
def test_the_document_quotes_real_messages(right, wrong):
    text = HOUSE_FILE.read_text("utf-8")
    assert text.count(right) == 1
    with pytest.raises(RuleSetError) as caught:
        parse_ruleset(text.replace(right, wrong), HOUSE_FILE.name)
    quoted = HOUSE_DOC.read_text("utf-8").split("    zilveren-troef.toml:")[1:]
    shown = [("zilveren-troef.toml:" + q.splitlines()[0]).split("…")[0] for q in quoted]
    assert any(str(caught.value).startswith(line) for line in shown)


def rows_of(heading: str) -> dict[str, str]:
    """Rows of the table under a heading of the document, by key."""
    section = HOUSE_DOC.read_text("utf-8").split(f"\n### {heading}\n")[1].split("\n### ")[0]
    cells = [line.split("|") for line in section.splitlines() if line.startswith("| `")]
    return {c[1].strip(" `"): "|".join(c[2:]) for c in cells}


TABLES = {
    "At the top": (schema.RuleSet, {"base"}),
    "[name], [source] and the name of a contract": (schema.Text, set()),
    "[cards]": (schema.Cards, set()),
    "[deal]": (schema.Deal, set()),
    "[auction]": (schema.Auction, set()),
    "[contracts.NAME]": (schema.Contract, set()),
    "[calling]": (schema.Calling, set()),
    "[play]": (schema.PlayRules, set()),
    "[partner]": (schema.PartnerRules, set()),
    "[meld]": (schema.Meld, set()),
    "[score]": (schema.Score, set()),
    "[match]": (schema.Match, set()),
    "[[decisions]]": (schema.Decision, set()),
}


@pytest.mark.parametrize("heading", TABLES)
def test_every_key_and_value_is_documented(heading):
    model, beside = TABLES[heading]
    rows = rows_of(heading)
    assert set(rows) == set(model.model_fields) | beside
    for key, info in model.model_fields.items():
        if typing.get_origin(info.annotation) is typing.Literal:
            for value in typing.get_args(info.annotation):
                assert f'`"{value}"`' in rows[key], key


def test_every_table_of_the_schema_has_its_section():
    models = {
        value
        for value in vars(schema).values()
        if isinstance(value, type) and issubclass(value, schema.Table) and value is not schema.Table
    }
    assert models == {model for model, _ in TABLES.values()}
