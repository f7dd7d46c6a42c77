"""Fuzz a parser: damaged copies of valid files in, and nothing but hands and rejects out.

``python tests/fuzz/campaign.py --parser phl --inputs 100000`` runs the random engine; ``--engine
atheris`` lets libFuzzer choose what to damage further by the lines that it reaches, ``--engine
hypothesis`` lets hypothesis draw every choice and make a find as small as it can. ``--coverage``
measures the lines of the parser's own modules. Figures go to standard output as one JSON line.
Input ``n`` of the random engine follows from ``--seed``, parser and ``n`` alone.
"""

import argparse
import json
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

MODULES = {
    "phl": ("phl", "fields"),
    "phl-bytes": ("phl_bytes",),  # the rest of it is compiled, out of sight of coverage
    "phn": ("phn_read", "phn_scan", "phn_tags"),
    "events": ("events", "fold", "items", "itemreader"),
    "table": ("table", "rows"),
    "scoresheet": ("scoresheet", "sheet*", "dates"),
    "typed": ("typed*",),
    "iss": ("iss_read",),
    "klaverlive": ("klaverlive",),
    "bga": ("bga", "bga_packets"),
    "boardgame-io": ("boardgame_io*",),
    "exported": ("exported",),
    "other-game": ("refuse",),
    "mapping": ("mapping",),
    "auto": ("detect", "archive", "decode"),
}
"""The modules of each parser, for coverage; what two share stands with one of them."""

_TABLES = ("table", "scoresheet", "klaverlive", "exported")
_JSON = ("events", "bga", "boardgame-io", "klaverlive", "exported", "auto")


@dataclass(slots=True)
class Tally:
    """Figures of one run."""

    parser: str
    engine: str
    seed: int
    inputs: int = 0
    with_hand: int = 0
    hands: int = 0
    rejects: int = 0
    secrets: int = 0
    slowest_ms: float = 0.0
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)

    def say(self) -> str:
        """The figures as one line of JSON."""
        out = asdict(self)
        out["faults"] = len(self.faults)
        out["share"] = round(self.with_hand / self.inputs, 4) if self.inputs else 0.0
        out["slowest_ms"], out["seconds"] = round(self.slowest_ms, 1), round(self.seconds, 1)
        return json.dumps(out)


class Campaign:
    """One parser, its valid files, and what came of damaging them."""

    def __init__(self, parser: str, engine: str = "random", seed: int = 0, stop: int = 1) -> None:
        from parsers.base import Options
        from tests.fuzz.invariants import reader
        from tests.fuzz.seeds import OPTIONS, seeds

        self.parser, self.seed, self.stop = parser, seed, stop
        self.seeds = seeds(parser)
        self.options = OPTIONS.get(parser, Options())
        self.read = reader(parser)
        self.tally = Tally(parser, engine, seed)

    def damaged(self, n: int) -> tuple[bytes, bool]:
        """Input ``n``, and whether it holds a private field that must not come through."""
        from tests.fuzz.mutators import with_secret

        rng = Random(f"{self.parser}:{self.seed}:{n}")
        data = rng.choice(self.seeds)
        if self.parser in _JSON and self.parser not in ("exported", "auto") and rng.random() < 0.05:
            told = with_secret(rng, data.decode())
            if told is not None:
                return told.encode(), True
        return self.mutate(rng, data), False

    def mutate(self, rng: Random, data: bytes) -> bytes:
        """A damaged copy of ``data``."""
        from tests.fuzz.mutators import mutate

        return mutate(rng, data, self.parser in _JSON, self.parser in _TABLES)

    def one(self, data: bytes, secret: bool = False) -> None:
        """Read one input and count what came of it; a fault is kept, or raised at the last."""
        from tests.fuzz.invariants import Fault, check

        tally = self.tally
        tally.inputs += 1
        tally.secrets += secret
        try:
            seen = check(self.parser, self.read, data, self.options, secret)
        except Fault as e:
            tally.faults.append(str(e))
            if len(tally.faults) >= self.stop:
                raise
            return
        tally.with_hand += seen.hands > 0
        tally.hands += seen.hands
        tally.rejects += seen.rejects
        tally.slowest_ms = max(tally.slowest_ms, 1000 * seen.seconds)

    def run(self, inputs: int, first: int = 0) -> Tally:
        """The random engine."""
        start = time.monotonic()
        for n in range(first, first + inputs):
            self.one(*self.damaged(n))
        self.tally.seconds = time.monotonic() - start
        return self.tally


def run_hypothesis(campaign: Campaign, inputs: int, first: int) -> Tally:
    """Hypothesis draws the file and every choice of the damage, and shrinks what it finds.

    ``first`` is a further seed: runs of other ``first`` are other inputs.
    """
    from hypothesis import HealthCheck, Phase, given, seed, settings
    from hypothesis import strategies as st

    @seed(campaign.seed * 1_000_003 + first)
    @settings(
        max_examples=inputs,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(st.sampled_from(campaign.seeds), st.randoms(use_true_random=False))
    def read(data: bytes, rng: Random) -> None:
        campaign.one(campaign.mutate(rng, data))

    start = time.monotonic()
    try:
        read()
    finally:
        campaign.tally.seconds = time.monotonic() - start
    return campaign.tally


def covered(parser: str, campaign: Campaign, inputs: int, first: int) -> dict[str, float]:
    """Share of lines that a run reaches in each module of a parser, in percent."""
    import coverage

    names = [str(ROOT / "parsers" / f"{m}.py") for m in MODULES[parser]]
    measure = coverage.Coverage(include=names, data_file=None, config_file=False)
    for module in [m for m in sys.modules if m == "parsers" or m.startswith("parsers.")]:
        del sys.modules[module]  # so that definitions count as reached
    for module in [m for m in sys.modules if m.startswith("tests.")]:
        del sys.modules[module]
    measure.start()
    Campaign.__init__(campaign, parser, seed=campaign.seed, stop=campaign.stop)
    for data in campaign.seeds:
        campaign.one(data)
    campaign.tally = Tally(parser, "random", campaign.seed)
    campaign.run(inputs, first)
    measure.stop()
    out = {}
    lines = hit = 0
    for file in sorted(measure.get_data().measured_files()):
        _, statements, _, missing, _ = measure.analysis2(file)
        out[Path(file).stem] = round(100 * (1 - len(missing) / max(len(statements), 1)), 1)
        lines += len(statements)
        hit += len(statements) - len(missing)
    out["all"] = round(100 * hit / max(lines, 1), 1)
    return out


def run_atheris(campaign: Campaign, inputs: int, out: Path) -> None:
    """libFuzzer through atheris; it ends the process itself, so figures are written as it goes."""
    import atheris  # type: ignore[import-not-found]

    start = time.monotonic()
    corpus = Path(tempfile.mkdtemp(prefix="corpus-"))
    for i, data in enumerate(campaign.seeds):
        (corpus / f"seed-{i}").write_bytes(data)

    def tell() -> None:
        campaign.tally.seconds = time.monotonic() - start
        out.write_text(campaign.tally.say() + "\n", "utf-8")

    def test_one_input(data: bytes) -> None:
        try:
            campaign.one(data)
        except AssertionError:
            tell()
            raise
        if campaign.tally.inputs % 500 == 0 or campaign.tally.inputs >= inputs:
            tell()

    def mutator(data: bytes, max_size: int, seed: int) -> bytes:
        rng = Random(seed)
        draw = rng.random()
        if draw < 0.1:
            return bytes(atheris.Mutate(data, max_size))
        # Damage upon damage soon leaves no hand at all: half of the inputs begin anew.
        return campaign.mutate(rng, data if draw < 0.5 else rng.choice(campaign.seeds))[:max_size]

    argv = [sys.argv[0], f"-runs={inputs}", "-max_len=30000", "-rss_limit_mb=0", "-verbosity=0",
            f"-artifact_prefix={corpus}/", f"-seed={campaign.seed + 1}", str(corpus)]  # fmt: skip
    atheris.Setup(argv, test_one_input, custom_mutator=mutator)
    atheris.Fuzz()


def main(argv: list[str] | None = None) -> int:
    """Command line."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    ask.add_argument("--parser", required=True, choices=list(MODULES))
    ask.add_argument("--inputs", type=int, default=10_000)
    ask.add_argument("--first", type=int, default=0, help="number of the first input")
    ask.add_argument("--seed", type=int, default=0)
    ask.add_argument("--engine", choices=("random", "hypothesis", "atheris"), default="random")
    ask.add_argument("--coverage", action="store_true", help="measure lines (random engine)")
    ask.add_argument("--stop", type=int, default=1, help="end after this many faults")
    ask.add_argument("--out", type=Path, help="where the figures go too")
    said = ask.parse_args(argv)
    if said.engine == "atheris" and said.parser == "phl-bytes":
        ask.error("atheris cannot see into compiled code: take another engine for phl-bytes")
    if said.engine == "atheris":
        import atheris

        with atheris.instrument_imports(include=["parsers"]):  # nothing of it is loaded before
            campaign = Campaign(said.parser, "atheris", said.seed, said.stop)
        run_atheris(campaign, said.inputs, said.out or Path(f"fuzz-{said.parser}.json"))
        return 0
    campaign = Campaign(said.parser, said.engine, said.seed, said.stop)
    report: dict[str, Any] = {}
    try:
        if said.coverage:
            report = covered(said.parser, campaign, said.inputs, said.first)
        elif said.engine == "hypothesis":
            run_hypothesis(campaign, said.inputs, said.first)
        else:
            campaign.run(said.inputs, said.first)
    except AssertionError:
        if not campaign.tally.faults:
            raise
    print(campaign.tally.say())
    if said.out is not None:
        told = json.loads(campaign.tally.say()) | ({"lines": report} if report else {})
        said.out.write_text(json.dumps(told) + "\n", "utf-8")
    if report:
        print(json.dumps(report))
    for fault in campaign.tally.faults:
        print(fault, file=sys.stderr)
    return 1 if campaign.tally.faults else 0


if __name__ == "__main__":
    sys.exit(main())
