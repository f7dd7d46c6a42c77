"""The game of Pandoeren: cards, rule sets, auction, play, meld, replay and score.

No input or output but the rule-set files, no database, no user interface.
"""
