from pathlib import Path

import pytest

from pandoeren_replay.importer import import_paths
from pandoeren_replay.store import Store
from parsers.base import Source

SEASON = Path(__file__).parents[2] / "data" / "demo" / "season.phl"

# Six auctions of a score sheet, without cards, played four times over: 24 hands.
# N Anna, E Bas, S Cor, W Dirk. Who bids, what became of it, what declarer scored:
#   1  dealer W, N 120             N with E  made  +1
#   2  dealer N, S 120, W 130      W with S  lost  -1
#   3  dealer E, S 150             S with W  made  +2
#   4  dealer S, all pass
#   5  dealer W, N misère          N alone   lost  -3
#   6  dealer N, E 120, N misère   N alone   made  +3
SHEET = (
    "heerlen W . 120,-,-,- . . . made;score=N+1,E+1,S0,W0;partner=E",
    "heerlen N . -,120,130,-,-,- . . . lost;score=N0,E0,S-1,W-1;partner=S",
    "heerlen E . 150,-,-,- . . . made;score=N0,E0,S+2,W+2;partner=W",
    "heerlen S . -,-,-,- . . . void",
    "heerlen W . mis,-,-,- . . . lost;score=N-3,E0,S0,W0;partner=-",
    "heerlen N . 120,-,-,mis,-,-,- . . . made;score=N+3,E0,S0,W0;partner=-",
)

# Deal A: N all spades, E hearts A-7, S all diamonds, W all clubs, the middle card is H6.
A = "NNNNNNNN" + "EEEEEEEEM" + "SSSSSSSS" + "WWWWWWWW"
# Deal C: N spades A-8 and C7; E hearts A-8 and CT; S all diamonds; W CA CK CQ CJ C9 C8 S7 H7.
C = "NNNNNNNW" + "EEEEEEEWM" + "SSSSSSSS" + "WWWWEWWN"

# P1: spades are trumps, N takes all eight tricks.
P1 = "SJH7D7C7/S9H8D8C8/SAH9D9C9/SKHTDTCT/SQHJDJCJ/STHQDQCQ/S8HKDKCK/S7HADACA"
# P2: hearts are trumps, E (the partner) takes all eight; N gives him H6 K T Q J 9 8 of spades.
P2 = "SAH7D7C7/H8D8C8H6/H9D9C9SK/HTDTCTST/HJDJCJSQ/HQDQCQSJ/HKDKCKS9/HADACAS8"
# P3: W takes the first trick (C7 CT D7 CA = 21 points) and leads a heart, the called suit.
P3 = "C7CTD7CA/H7S8H8D8/SJH9D9S7/S9HTDTC8/SAHJDJC9/SKHQDQCJ/SQHKDKCQ/STHADACK"
# P4: as P3, but W leads a club.
P4 = "C7CTD7CA/CKS8H8D8/SJH9D9S7/S9HTDTC8/SAHJDJC9/SKHQDQCJ/SQHKDKCQ/STHADAH7"
# P5: E does not follow to the first club (revoke); no points in that trick; W leads a heart.
P5 = "C7H8D7C8/H7S8H9D8/SJCTD9S7/S9HTDTC9/SAHJDJCJ/SKHQDQCQ/SQHKDKCK/STHADACA"

# Always N declares with E, and with the pack's 146 points less the 21 of P3 and P4:
#   P1 160  146 + 160 roem + 20 stuk  made  +166    E keeps quiet about his roem
#   P2 160  146                       lost   -14
#   P3 140  125 + 20 stuk             made    +5
#   P4 150  125                       lost   -25
#   P5 180  146                       lost   -34    recorded as made
#   P6 190  125, roem 140 denied by S (who bid, and holds a run of eight)  lost  -65
PLAYED = (
    f"heerlen W {A} 160,-,-,- S:HA:H6 {P1} 1N=roem160,12N=stuk made",
    f"heerlen W {A} 160,-,-,- H:HA:S7 {P2} . .",
    f"heerlen W {C} 140,-,-,- S:HA:H6 {P3} 20N=stuk .",
    f"heerlen W {C} 150,-,-,- S:HA:H6 {P4} . .",
    f"heerlen W {C} 180,-,-,- S:HA:H6 {P5} . made",
    f"heerlen W {C} 120,-,130,-,190,-,-,- S:HA:H6 {P3} 1N=roem140,2S=deny .",
)


def meta(number: int, session: str) -> str:
    return f"id={session}-{number};n=Anna;e=Bas;s=Cor;w=Dirk;session={session};hand={number}"


def club_text() -> str:
    lines = [f"{hand} {meta(i + 1, f'sheet{n}')}" for n in range(4) for i, hand in enumerate(SHEET)]
    lines += [f"{hand} {meta(i + 1, 'played')}" for i, hand in enumerate(PLAYED)]
    return "\n".join(lines) + "\n"


def make_store(folder: Path, text: str) -> Store:
    store = Store(folder)
    totals = import_paths(store, [Source("club.phl", text.encode())])
    assert totals.rejected == 0
    return store


@pytest.fixture(scope="session")
def club(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Thirty hands of which every figure was worked out by hand."""
    store = make_store(tmp_path_factory.mktemp("club") / "store", club_text())
    assert store.count() == 30
    return store


@pytest.fixture(scope="session")
def season(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The simulated season: 2,496 hands of three rule sets."""
    store = Store(tmp_path_factory.mktemp("season") / "store")
    import_paths(store, [SEASON])
    return store
