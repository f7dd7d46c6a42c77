"""Ours and the peers in one run and one table: jass-kit, PokerKit, python-chess, bare read_csv.

python -m benchmarks.peers hands.phl --sizes 10000,100000

The peers come with the extra ``bench``; one that is not installed is listed as such. Each replays
distinct random games of its own kind with the legality of every move checked, from what its own
users keep: jass-kit from arrays of cards, PokerKit and python-chess from their text formats.
A move is a card, an action or a ply.
"""

import argparse
import io
import random
import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.importing import read_csv
from benchmarks.timing import hands_file, interleaved, machine
from engine.batch import replay_columns
from engine.batch_result import RESULT
from engine.replay import replay
from pandoeren_replay.importer import import_paths
from pandoeren_replay.lake import Lake
from pandoeren_replay.lake_import import import_lake
from pandoeren_replay.store import Store
from parsers.base import Options
from parsers.phl_bytes import PhlBytesReader

PEERS = {"jass-kit": "jass-kit", "PokerKit": "pokerkit", "python-chess": "chess"}
GAMES = 100
"""Games of a peer, and hands of our step replay: some tenths of a second of work."""
PLIES = 80


@dataclass(frozen=True)
class Contestant:
    """What is timed, and how many hands (games) and moves it goes through."""

    run: Callable[[], object]
    hands: int
    moves: int


def jass_kit(seed: int) -> Contestant:
    from jass.game.const import MAX_TRUMP
    from jass.game.game_sim import GameSim
    from jass.game.game_util import deal_random_hand
    from jass.game.rule_schieber import RuleSchieber

    np.random.seed(seed)
    rng = random.Random(seed)
    rule = RuleSchieber()

    def new(hands: Any, trump: int) -> Any:
        game = GameSim(rule)
        game.init_from_cards(hands, 0)
        game.action_trump(trump)
        return game

    games = []
    for _ in range(GAMES):
        hands, trump, cards = deal_random_hand(), rng.randrange(MAX_TRUMP + 1), []
        game = new(hands, trump)
        while not game.is_done():
            cards.append(rng.choice(np.flatnonzero(rule.get_valid_cards_from_state(game.state))))
            game.action_play_card(cards[-1])
        games.append((hands, trump, cards))

    def run() -> None:
        for hands, trump, cards in games:
            game = new(hands, trump)
            for card in cards:
                assert rule.get_valid_cards_from_state(game.state)[card]
                game.action_play_card(card)

    return Contestant(run, GAMES, sum(len(c) for *_, c in games))


def poker_kit(seed: int) -> Contestant:
    from pokerkit import Automation, HandHistory, NoLimitTexasHoldem

    random.seed(seed)  # its decks are shuffled by the module's own generator
    texts, moves = [], 0
    for _ in range(GAMES):
        game = NoLimitTexasHoldem(tuple(Automation), True, 0, (1, 2), 2)
        state = game((200,) * 6, 6)
        while state.status:
            if random.random() < 0.15 and state.can_fold():
                state.fold()
            else:
                state.check_or_call()
        history = HandHistory.from_game_state(game, state)
        moves += len(history.actions)
        texts.append(history.dumps())

    def run() -> None:
        for text in texts:
            for _ in HandHistory.loads(text):
                pass

    return Contestant(run, GAMES, moves)


def python_chess(seed: int) -> Contestant:
    import chess
    import chess.pgn

    rng = random.Random(seed)
    texts, moves = [], 0
    for _ in range(GAMES):
        board = chess.Board()
        while not board.is_game_over() and board.ply() < PLIES:
            board.push(rng.choice(list(board.legal_moves)))
        moves += board.ply()
        texts.append(str(chess.pgn.Game.from_board(board)))

    def run() -> None:
        for text in texts:
            assert chess.pgn.read_game(io.StringIO(text)) is not None

    return Contestant(run, GAMES, moves)


def ours(file: Path, folder: Path, threads: int) -> dict[str, Contestant]:
    """Our roads for one file, and read_csv of it."""
    with file.open("rb", buffering=0) as f:
        chunks = list(PhlBytesReader(file.name, Options()).chunks(f))
    hands = sum(map(len, chunks))
    moves = sum(int(c.columns.hands["n_plays"].sum()) for c in chunks)
    few = [
        (chunks[0].record(i), chunks[0].rules[chunks[0].columns.hands["rules"][i]])
        for i in range(min(GAMES, len(chunks[0])))
    ]
    room = np.empty(max(map(len, chunks)), RESULT)

    def batch() -> None:
        for chunk in chunks:
            replay_columns(chunk.columns, chunk.rules, room=room)

    return {
        "read_csv to a file": Contestant(
            lambda: read_csv(file, folder / "csv.duckdb", threads), hands, moves
        ),
        ".phl to a store": Contestant(lambda: to_store(file, folder), hands, moves),
        ".phl to a lake": Contestant(lambda: to_lake(file, folder), hands, moves),
        "batch replay": Contestant(batch, hands, moves),
        "step replay": Contestant(
            lambda: [replay(record, rules) for record, rules in few],
            len(few), sum(len(record.plays) for record, _ in few),
        ),
    }  # fmt: skip


def to_store(file: Path, folder: Path) -> None:
    shutil.rmtree(folder / "club", ignore_errors=True)
    import_paths(Store(folder / "club"), [file])


def to_lake(file: Path, folder: Path) -> None:
    shutil.rmtree(folder / "lake", ignore_errors=True)
    import_lake(Lake(folder / "lake"), [file])


def peak(work: Callable[..., object], *args: object) -> int:
    """Most memory in MB of a process of its own that does this."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(_peak, work, *args).result()


def _peak(work: Callable[..., object], *args: object) -> int:
    work(*args)
    # Not getrusage: that remembers the process which this one was started from.
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.split("VmHWM:")[1].split()[0]) // 1024


def size(place: Path) -> int:
    """Bytes of the published hands in a place."""
    if place.suffix:
        return place.stat().st_size
    if place.name == "club":
        return Store(place).file().stat().st_size
    return sum(f.stat().st_size for f in place.rglob("*.parquet"))


def peers() -> tuple[dict[str, Contestant], list[str]]:
    """The peers that are installed, by name and version, and a line for each that is not."""
    found: dict[str, Contestant] = {}
    missing = []
    makers = {"jass-kit": jass_kit, "PokerKit": poker_kit, "python-chess": python_chess}
    for name, package in PEERS.items():
        try:
            found[f"{name} {version(package)}"] = makers[name](1)
        except (PackageNotFoundError, ImportError) as e:
            missing.append(f"{name}: not installed ({e})")
    return found, missing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, help="a .phl file of distinct hands")
    parser.add_argument("--sizes", default="10000", help="numbers of hands, with commas")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1, help="of read_csv")
    asked = parser.parse_args()
    others, missing = peers()
    print(machine())
    for n in map(int, asked.sizes.split(",")):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            file = _first(hands_file(asked.file, n, "heerlen", folder), n, folder)
            mine = ours(file, folder, asked.threads)
            table(mine | others, n, asked.rounds)
            csv = folder / "csv.duckdb"
            places = {"text": file, "read_csv": csv, "store": folder / "club",
                      "lake": folder / "lake"}  # fmt: skip
            count = mine["batch replay"].hands
            told = ", ".join(f"{k} {size(p) / count:.0f}" for k, p in places.items())
            print(f"bytes a hand: {told}")
            memory = {
                "read_csv": peak(read_csv, file, csv, asked.threads),
                "store": peak(to_store, file, folder),
                "lake": peak(to_lake, file, folder),
            }
            print("peak memory: " + ", ".join(f"{k} {mb} MB" for k, mb in memory.items()))
    for line in missing:
        print(line)


def _first(file: Path, n: int, folder: Path) -> Path:
    """The first ``n`` lines of a file."""
    out = folder / f"first-{n}.phl"
    with file.open("rb") as f, out.open("wb") as g:
        g.writelines(islice(f, n))
    return out


def table(contestants: dict[str, Contestant], n: int, rounds: int) -> None:
    """Run them in turn and print rates by processor time, and ratios to read_csv and to us."""
    times = interleaved({k: c.run for k, c in contestants.items()}, rounds)
    step = times["step replay"].cpu / contestants["step replay"].moves
    batch = times["batch replay"].cpu / contestants["batch replay"].hands
    print(f"\n{n:,} hands; hands/s and moves/s of processor time, medians of {rounds}")
    print(f"{'':26}{'hands':>9}{'hands/s':>12}{'moves/s':>13}{'clock hands/s':>15}"
          f"{'x batch':>9}{'x step, a move':>16}")  # fmt: skip
    for name, c in contestants.items():
        t = times[name]
        print(
            f"{name:26}{c.hands:>9,}{c.hands / t.cpu:>12,.0f}{c.moves / t.cpu:>13,.0f}"
            f"{c.hands / t.wall:>15,.0f}{t.cpu / c.hands / batch:>9,.1f}"
            f"{t.cpu / c.moves / step:>16.2f}"
        )


if __name__ == "__main__":
    main()
