"""Verdicts with open cards for the replayer: stored ones, or worked out beside the page.

The solver runs in one thread of its own, one hand after the other, so that the pages go on. Its
first hand after an installation waits for the compiler. All of it is hindsight, and the texts say
so: "with open cards".
"""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.cards import CARDS
from engine.solver import Interrupted, Limits, NotSolvable
from engine.state import Replay
from engine.violations import Language
from pandoeren_replay.annotate import Annotation, CardNote, Unfinished, annotate_within

log = logging.getLogger(__name__)

KEPT = 300
"""Answers kept in memory; a hand takes about 40 kB."""

State = Literal["running", "done", "impossible", "failed"]


@dataclass(slots=True)
class Job:
    """A question to the solver. ``reasons`` says (en, nl) why there is no answer."""

    state: State = "running"
    answer: Any = None
    reasons: tuple[str, str] = ("", "")
    since: float = field(default_factory=time.monotonic)
    ended: threading.Event = field(default_factory=threading.Event)
    unwanted: threading.Event = field(default_factory=threading.Event)

    @property
    def seconds(self) -> float:
        """How long it has been at work, or waiting for its turn."""
        return time.monotonic() - self.since

    def wait(self, seconds: float) -> "Job":
        """Waits for the answer, no longer than ``seconds``."""
        self.ended.wait(seconds)
        return self


class Desk:
    """Takes questions, answers one at a time, remembers the answers."""

    def __init__(self, kept: int = KEPT) -> None:
        self._jobs: OrderedDict[Hashable, Job] = OrderedDict()
        self._lock = threading.Lock()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="solver")
        self._kept = kept
        self.warm = False

    def ask(
        self, key: Hashable, work: Callable[[], Any], stop: threading.Event | None = None
    ) -> Job:
        """The job of a question; the same question twice is one job.

        ``stop`` is set when nobody waits for the answer any more.
        """
        with self._lock:
            job = self._jobs.get(key)
            if job is None or job.unwanted.is_set():
                job = self._jobs[key] = Job(unwanted=stop or threading.Event())
                self._worker.submit(self._run, job, work)
            self._jobs.move_to_end(key)
            while len(self._jobs) > self._kept:
                self._jobs.popitem(last=False)
            return job

    def cancel(self, key: Hashable) -> None:
        """Takes a question back; one that has its turn stops."""
        with self._lock:
            job = self._jobs.get(key)
            if job is not None and job.state == "running":
                job.unwanted.set()

    def _run(self, job: Job, work: Callable[[], Any]) -> None:
        if job.unwanted.is_set():
            return
        try:
            job.answer = work()
            job.state = "done"
            self.warm = True
        except Interrupted:
            # Nobody waits for it; asked once more it begins anew.
            job.state = "failed"
        except NotSolvable as e:
            job.state, job.reasons = "impossible", (e.en, e.nl)
        except Exception:
            # The page shows a sentence; what went wrong is for the one who runs the program.
            log.exception("the solver failed")
            job.state = "failed"
        finally:
            job.ended.set()


DESK = Desk()


def verdicts(replay: Replay, stop: threading.Event) -> Annotation:
    """The whole review of a hand, discard, trumps and called card too.

    Raises :class:`Interrupted` where the event is set before it is there.
    """
    found = annotate_within(replay, Limits(stop=stop), declaration=True)
    if isinstance(found, Unfinished):
        raise Interrupted("nobody waits for it any more")
    return found


def verdict_data(found: Annotation, lang: Language, *, stored: bool) -> dict[str, Any]:
    """A review as the browser gets it: sentences in the viewer's language, cards by name."""
    terms = found.terms
    return {
        "goal": "points" if terms.objective == "points" else "contract",
        "stored": stored,
        "solver": found.solver,
        "start": found.start,
        "result": found.result,
        "cards": [_card_data(n, lang) for n in found.cards],
        "lost_by": [found.lost_by(s) for s in range(4)],
        "declaration": [{"text": n.text(lang), "loss": n.loss} for n in found.declaration],
    }


def _card_data(note: CardNote, lang: Language) -> dict[str, Any]:
    return {
        "ply": note.ply,
        "seat": note.seat,
        "card": CARDS[note.card],
        "side": note.side,
        "values": {CARDS[c]: v for c, v in note.values.items()},
        "best": [CARDS[c] for c in note.values if note.best >> c & 1],
        "loss": note.loss,
        "mattered": note.mattered,
        "forced": note.forced,
        "verdict": note.verdict,
        "text": note.text(lang),
    }
