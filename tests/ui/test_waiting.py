"""Where an answer takes a look at very many hands, the page says so."""

from contextlib import nullcontext
from pathlib import Path

import pytest

from pandoeren_replay.importer import import_paths
from pandoeren_replay.store import Store, sums
from pandoeren_replay.ui import waiting
from pandoeren_replay.ui.source import Source
from pandoeren_replay.ui.texts import Texts
from parsers.base import Source as Text
from tests.statistics.conftest import club_text


def test_only_in_large_stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(waiting.st, "spinner", lambda text: said.append(text) or nullcontext())
    for name, large in (("small", 10**9), ("large", 1)):
        monkeypatch.setattr(sums, "LARGE", large)
        import_paths(Store(tmp_path / name), [Text("club.phl", club_text().encode())])
        source = Source(str(tmp_path / name))
        assert source.is_large == (large == 1)
        for lang in ("nl", "en"):
            with waiting.waiting(source, Texts(lang)):
                pass
    assert said == [
        "Even geduld: dit wordt uitgerekend over 30 spellen.",
        "One moment: this is being worked out over 30 hands.",
    ]
    assert not Source(str(tmp_path / "nothing")).is_large
