"""Statistics over stored hands, by one name (the package :mod:`pandoeren_replay.statistics`).

Every figure is defined once, in the glossary (docs/statistics.md), and worked out in the database;
command line, Python and dashboard ask here.
"""

from pandoeren_replay.statistics.compare import Comparison, compare
from pandoeren_replay.statistics.compute import Figure, figures, measure
from pandoeren_replay.statistics.drill import hands_behind
from pandoeren_replay.statistics.glossary import POPULATIONS, STATISTICS, TOPICS, chosen, statistic
from pandoeren_replay.statistics.groupings import BY, EXTRA, GROUPINGS, grouping
from pandoeren_replay.statistics.intervals import CONFIDENCE, FEW, hands_for, hands_needed, wilson
from pandoeren_replay.statistics.model import Grouping, Population, Statistic
from pandoeren_replay.statistics.overview import statistics
from pandoeren_replay.statistics.partners import pairs

__all__ = [
    "BY",
    "CONFIDENCE",
    "EXTRA",
    "FEW",
    "GROUPINGS",
    "POPULATIONS",
    "STATISTICS",
    "TOPICS",
    "Comparison",
    "Figure",
    "Grouping",
    "Population",
    "Statistic",
    "chosen",
    "compare",
    "figures",
    "grouping",
    "hands_behind",
    "hands_for",
    "hands_needed",
    "measure",
    "pairs",
    "statistic",
    "statistics",
    "wilson",
]
