"""One's own SQL: what may be asked, what may not, and how long it may take."""

import time

import pytest

from pandoeren_replay.importer import import_paths
from pandoeren_replay.ui.questions import EXAMPLES, ROWS, Answer, QuestionError, as_csv, ask
from parsers.base import Source

from .test_pages import open_page, words


def key_of(store, query, **limits):
    with pytest.raises(QuestionError) as e:
        ask(store, query, **limits)
    return e.value.key


@pytest.mark.parametrize("name", [n for n, _ in EXAMPLES])
def test_the_examples_have_an_answer(store, name):
    answer = ask(store, dict(EXAMPLES)[name])
    assert answer.columns
    assert not answer.cut


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM read_csv_auto('https://x.example/a.csv')",
        "SELECT getenv('HOME')",
    ],
)
def test_no_file_and_no_network_is_reached(store, query):
    assert key_of(store, query) == "failed"


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM hand",
        "CREATE TABLE x (a INT)",
        "ATTACH '/tmp/x.db'",
        "COPY hands TO '/tmp/x.csv'",
        "INSTALL httpfs",
        "LOAD json",
        "SET enable_external_access = true",
        "PRAGMA database_list",
        "DETACH club",
        "USE memory",
    ],
)
def test_only_reading_is_run(store, query):
    before = store.count()
    assert key_of(store, query) == "reading"
    assert store.count() == before


def test_one_query_at_a_time_and_not_too_long(store):
    assert key_of(store, "SELECT 1; DELETE FROM hand") == "one"
    assert key_of(store, "  ") == "one"
    assert key_of(store, "SELECT " + "1," * 20_000 + "1") == "long"
    assert key_of(store, "SELECT nothing FROM hands") == "failed"


def test_a_query_that_takes_too_long_is_stopped(store):
    start = time.monotonic()
    query = "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range * b.range = 7"
    assert key_of(store, query, seconds=0.5) == "time"
    assert time.monotonic() - start < 8


def test_a_query_that_wants_too_much_memory_is_stopped(store):
    query = "SELECT list(range || repeat('x', 200)) FROM range(30000000)"
    assert key_of(store, query, seconds=60) == "memory"


def test_a_long_answer_is_cut(store):
    answer = ask(store, f"SELECT * FROM range({ROWS + 5})")
    assert answer.cut
    assert len(answer.rows) == ROWS


def test_an_import_goes_on_while_a_query_runs(own_store, tmp_path):
    lines = [x for x in open_lines() if not x.startswith("#")]
    import_paths(own_store, [Source("a.phl", f"{lines[0]}\n".encode())])
    assert ask(own_store, "SELECT count(*) FROM hands").rows == ((1,),)
    import_paths(own_store, [Source("b.phl", f"{lines[1]}\n".encode())])
    assert ask(own_store, "SELECT count(*) FROM hands").rows == ((2,),)


def open_lines():
    from .conftest import HANDS

    return HANDS.read_text("utf-8").splitlines()


def test_the_csv_is_safe_and_opens_in_dutch_excel():
    answer = Answer(("=x", "n"), (("@SUM(A1)", 1.5), ("a;b", None), ("-3", True)), False)
    data = as_csv(answer, "nl")
    assert data.startswith(b"\xef\xbb\xbf")
    text = data.decode("utf-8-sig")
    assert text.splitlines() == ["'=x;n", "'@SUM(A1);1,5", '"a;b";', "'-3;true"]
    assert as_csv(answer, "en").decode("utf-8-sig").splitlines()[1] == "'@SUM(A1),1.5"


def test_the_page_runs_a_query_only_when_asked(pages):
    test = open_page("sql", q="SELECT name FROM players ORDER BY name")
    assert test.text_area[0].value == "SELECT name FROM players ORDER BY name"
    assert "Rijen" not in words(test)
    test.button(key="sql_run").click().run()
    assert not test.exception
    assert "Rijen" in words(test)
    test.text_area[0].set_value("DROP TABLE hand").run()
    test.button(key="sql_run").click().run()
    assert len(test.error) == 1
