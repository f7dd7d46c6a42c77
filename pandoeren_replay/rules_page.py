"""A rule set as a page to read, in English or Dutch: bid table, cards, duties, meld, score.

``python -m pandoeren_replay.rules_page docs/rules`` writes the pages of the built-in rule sets.
"""

import re
import sys
from pathlib import Path
from typing import Literal

from engine.cards import RANKS
from engine.rulefile import BUILTIN_IDS, load_ruleset
from engine.ruleset import Contract, RuleSet
from pandoeren_replay.rules_text import bid_text

Language = Literal["en", "nl"]

PARTNER = {
    "none": ("none", "geen"),
    "called-ace": ("holder of the called ace", "wie het meegevraagde aas heeft"),
    "called-card": ("holder of the called card", "wie de meegevraagde kaart heeft"),
    "called-jack": ("holder of the called jack", "wie de meegevraagde boer heeft"),
    "jas-holder": ("holder of the jas", "wie de jas (troefboer) heeft"),
    "first-trick-winner": ("winner of the first trick", "winnaar van de eerste slag"),
    "fourth-ace": ("holder of the fourth ace", "wie het vierde aas heeft"),
}
GOAL = {
    "points": ("the side takes the points bid", "de partij haalt de geboden punten"),
    "all": ("the side wins all 8 tricks", "de partij haalt alle 8 slagen"),
    "none": ("declarer wins no trick", "de speler haalt geen slag"),
    "first-only": (
        "declarer wins the first trick and no other",
        "de speler haalt de eerste slag en verder geen",
    ),
    "exactly-one": ("declarer wins exactly one trick", "de speler haalt precies één slag"),
    "one-with-jas": (
        "declarer wins exactly one trick, with his own jas",
        "de speler haalt precies één slag, met zijn eigen jas",
    ),
    "first-four-and-all": (
        "declarer wins the first four tricks himself, the side all 8",
        "de speler haalt zelf de eerste vier slagen, de partij alle 8",
    ),
    "called-card-and-four": (
        "the side takes the called card in a trick and wins four tricks or more",
        "de partij haalt de meegevraagde kaart binnen en minstens vier slagen",
    ),
    "jas-and-all": (
        "the side takes the jas in a trick and wins all tricks",
        "de partij haalt de jas binnen en alle slagen",
    ),
}
EXPOSURE = {
    "none": ("", ""),
    "declarer-from-trick-2": (
        "declarer's hand face up from trick 2",
        "hand van de speler open vanaf slag 2",
    ),
    "all-from-trick-1": (
        "all hands face up from trick 1",
        "alle handen open vanaf slag 1",
    ),
}
DUTCH_RANK = {"K": "H", "Q": "V", "J": "B", "T": "10"}
HEADS = {
    "en": ("#", "bid", "name", "partner", "trumps", "goal", "worth", "exposure"),
    "nl": ("#", "bod", "naam", "maat", "troef", "doel", "waarde", "open"),
}


def escape(text: str) -> str:
    r"""A user's text inside a Markdown page: on one line, nothing in it is markup.

    >>> escape("*a* <b>")
    '\\*a\\* \\<b\\>'
    """
    return re.sub(r"([\\`*_\[\]<>|#$])", r"\\\1", " ".join(text.split()))


def _rank(rank: str, lang: Language) -> str:
    if lang == "nl":
        return DUTCH_RANK.get(rank, rank)
    return "10" if rank == "T" else rank


def _values(values: dict[str, int], lang: Language) -> str:
    worth = sorted((r for r in RANKS if values.get(r)), key=lambda r: -values[r])
    parts = [f"{_rank(r, lang)} {values[r]}" for r in worth]
    return ", ".join(parts) + (", rest 0" if parts else "0")


def _goal(contract: Contract, lang: Language) -> str:
    text = GOAL[contract.goal][lang == "nl"]
    if contract.target:
        text += f" ({contract.target})"
    if contract.plus_step:
        text += (
            ", and that much roem and stuk" if lang == "en" else ", en zoveel roem en stuk erbij"
        )
    return text


def _table(rules: RuleSet, lang: Language) -> list[str]:
    nl = lang == "nl"
    heads = HEADS[lang]
    out = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for n, key in enumerate(rules.auction.order, 1):
        c = rules.contracts[key]
        trumps = ("yes", "ja") if c.trump else ("no", "nee")
        cells = (
            str(n),
            bid_text(c, lang),
            escape(c.name.nl if nl else c.name.en),
            PARTNER[c.partner][nl],
            trumps[nl],
            _goal(c, lang),
            str(c.score),
            EXPOSURE[c.exposure][nl],
        )
        out.append("| " + " | ".join(cells) + " |")
    return out


def duties(rules: RuleSet, lang: Language = "en") -> list[str]:
    """What a follower must do, one sentence each.

    >>> from engine.rulefile import load_ruleset
    >>> duties(load_ruleset("butselaar"))[0]
    'Declarer leads to the first trick; the winner of a trick leads to the next.'
    """
    p = rules.play
    nl = lang == "nl"
    lead = {
        "declarer": ("Declarer", "De speler"),
        "forehand": ("Forehand (left of the dealer)", "De voorhand (links van de gever)"),
    }[p.first_lead][nl]
    out = [
        f"{lead} komt uit in de eerste slag; daarna komt de winnaar van de slag uit."
        if nl
        else f"{lead} leads to the first trick; the winner of a trick leads to the next."
    ]

    def add(en: str, dutch: str) -> None:
        out.append(dutch if nl else en)

    if p.must_trump == "always":
        add(
            "Whatever is led, a trump must be played if held; else any card.",
            "Wat er ook uitgekomen wordt, wie troef heeft moet troef spelen; anders mag alles.",
        )
    else:
        if p.may_ruff_when_able_to_follow:
            add(
                "Who can follow suit follows, or plays a trump.",
                "Wie kan bekennen bekent, of speelt troef.",
            )
        else:
            add("Who can follow suit must do so.", "Wie kan bekennen moet bekennen.")
        if p.must_trump == "when-void":
            add("Who cannot follow must trump.", "Wie niet kan bekennen moet introeven.")
        else:
            add("Who cannot follow may play any card.", "Wie niet kan bekennen mag alles spelen.")
    if p.must_overtrump:
        add(
            "On a trumped trick a trump must be higher, if a higher one is held.",
            "Is er al ingetroefd, dan moet men overtroeven als men dat kan.",
        )
    if p.overtrump_when_trump_led:
        add(
            "A led trump must be overtrumped if possible.",
            "Een uitgekomen troef moet overtroefd worden als dat kan.",
        )
    if p.undertrump == "banned":
        add(
            "Undertrumping a plain suit is not allowed while another card can be played.",
            "Ondertroeven op een bijkleur mag niet zolang er een andere kaart gespeeld kan worden.",
        )
    if p.jas_exempt:
        add(
            "The jas is never forced: its holder may act as if he did not have it.",
            "De jas hoeft nooit: wie hem heeft mag doen alsof hij hem niet heeft.",
        )
    add("Without trumps: follow suit if possible.", "Zonder troef: bekennen als het kan.")
    return out


def _cards(rules: RuleSet, lang: Language) -> list[str]:
    c, nl = rules.cards, lang == "nl"
    total = rules.total_points

    def order(text: str) -> str:
        return " ".join(_rank(r, lang) for r in text)

    if nl:
        return [
            f"- Volgorde bijkleur: {order(c.plain_order)}; troef: {order(c.trump_order)}.",
            f"- Punten bijkleur: {_values(c.plain_points, lang)}.",
            f"- Punten troef: {_values(c.trump_points, lang)}.",
            f"- Laatste slag: {c.last_trick}. Samen {total[True]}, zonder troef {total[False]}.",
        ]
    return [
        f"- Order of a plain suit: {order(c.plain_order)}; of trumps: {order(c.trump_order)}.",
        f"- Points of a plain suit: {_values(c.plain_points, lang)}.",
        f"- Points of trumps: {_values(c.trump_points, lang)}.",
        f"- Last trick: {c.last_trick}. In all {total[True]}, without trumps {total[False]}.",
    ]


def _auction(rules: RuleSet, lang: Language) -> list[str]:
    nl = lang == "nl"
    out = []

    def add(en: str, dutch: str) -> None:
        out.append("- " + (dutch if nl else en))

    if rules.deal.middle == "taken":
        add(
            "The middle card is face up; declarer takes it and discards one of nine.",
            "De kijkkaart ligt open; de speler neemt hem en legt één van negen kaarten weg.",
        )
    else:
        add("The middle card is dead.", "De kijkkaart doet niet mee.")
    if rules.deal.show_lowest:
        add(
            "Before the auction every seat shows its lowest card.",
            "Voor de bieding toont ieder zijn laagste kaart.",
        )
    if rules.auction.pass_is_final:
        add("A pass is final.", "Wie past doet niet meer mee met bieden.")
    else:
        add(
            "Who passed may bid again while the auction is open.",
            "Wie gepast heeft mag later weer bieden zolang de bieding loopt.",
        )
    if rules.deal.all_pass == "same-dealer":
        add("If all pass, the same dealer deals again.", "Past iedereen, dan geeft dezelfde gever.")
    else:
        add("If all pass, the next player deals.", "Past iedereen, dan geeft de volgende speler.")
    if rules.calling.optional:
        add("Calling a card is optional.", "Een kaart meevragen mag, maar hoeft niet.")
    if not rules.calling.trump_allowed:
        add("A card of trumps may not be called.", "Een troefkaart mag niet meegevraagd worden.")
    if rules.partner.counts_from == "reveal":
        add(
            "The partner counts as a defender until the called card is played.",
            "De maat telt bij de tegenpartij tot de meegevraagde kaart gespeeld is.",
        )
    return out


def _meld(rules: RuleSet, lang: Language) -> list[str]:
    m, nl = rules.meld, lang == "nl"
    if m.system == "none":
        return ["- Geen roem." if nl else "- No meld."]
    runs = ", ".join(f"{n}: {v}" for n, v in m.runs.items())
    out = [f"- {'Reeksen' if nl else 'Runs'}: {runs}."]
    if m.threes:
        label = "Drie gelijke" if nl else "Three of a kind"
        out.append(f"- {label}: {_values(m.threes, lang).removesuffix(', rest 0')}.")
    label = "Vier gelijke" if nl else "Four of a kind"
    out.append(f"- {label}: {_values(m.fours, lang).removesuffix(', rest 0')}.")
    if m.stuk:
        when = m.stuk_before == "first"
        out.append(
            f"- Stuk (heer en vrouw van troef): {m.stuk}, gemeld voor de "
            f"{'eerste' if when else 'tweede'} van de twee gespeeld is."
            if nl
            else f"- Stuk (king and queen of trumps): {m.stuk}, announced before the "
            f"{'first' if when else 'second'} of the two is played."
        )
    if m.system == "best-at-table":
        out.append(
            "- Alleen de beste combinatie aan tafel telt, voor de partij van wie haar heeft."
            if nl
            else "- Only the best combination at the table counts, for the side of its holder."
        )
    if m.deny:
        out.append(
            "- Een tegenspeler die geboden heeft en beter heeft mag de roem ontzeggen."
            if nl
            else "- An opponent who bid and holds better may deny the roem."
        )
    return out


def _score(rules: RuleSet, lang: Language) -> list[str]:
    s, match, nl = rules.score, rules.match, lang == "nl"
    out: list[str] = []

    def add(en: str, dutch: str) -> None:
        out.append("- " + (dutch if nl else en))

    if s.system == "each":
        add(
            "Made: declarer and partner each score the contract's worth; lost: each loses it.",
            "Gemaakt: speler en maat krijgen ieder de waarde erbij; verloren: ieder eraf.",
        )
    elif s.system == "chips":
        add(
            f"Everybody starts with {s.stake} chips and antes {s.ante} each hand. Made contracts "
            "are paid from the pot, lost ones to the defenders; pandoer, misère and piccolo are "
            "settled between the players.",
            f"Ieder begint met {s.stake} fiches en legt per spel {s.ante} in. Gemaakte contracten "
            "worden uit de pot betaald, verloren aan de tegenpartij; pandoer, misère en piccolo "
            "rekenen de spelers onderling af.",
        )
    else:
        add(
            "Contracts of points score the points taken with meld; others ten times their worth.",
            "Puntencontracten tellen de gehaalde punten met roem; andere tien keer hun waarde.",
        )
    if s.pot_contribution:
        add(
            f"Each player puts {s.pot_contribution} into the pot, and again whenever it is empty.",
            f"Ieder legt {s.pot_contribution} in de pot, en opnieuw zodra hij leeg is.",
        )
    if match.target:
        add(f"The session ends at {match.target}.", f"De avond eindigt bij {match.target}.")
    if match.hands:
        add(
            f"The session ends after {match.hands} hands.",
            f"De avond eindigt na {match.hands} spellen.",
        )
    if match.partnership == "fixed-pairs":
        add("Fixed pairs: N–S and E–W.", "Vaste paren: N–Z en O–W.")
    return out


def rules_page(rules: RuleSet, lang: Language = "en") -> str:
    """The whole page as Markdown; texts of a user's own file are escaped."""
    nl = lang == "nl"
    name, source = (rules.name.nl, rules.source.nl) if nl else (rules.name.en, rules.source.en)
    titles = (
        ("Biedtabel (laag naar hoog)", "Kaarten", "Geven en bieden", "Spelen", "Roem", "Tellen",
         "Keuzes die geen bron beslist")
        if nl
        else ("Bids, low to high", "Cards", "Deal and auction", "Play", "Meld", "Score",
              "Choices that no source settles")
    )  # fmt: skip
    parts = [f"# {escape(name)} (`{rules.id}`)", "", escape(source) + ".", ""]
    bodies = [
        _table(rules, lang),
        _cards(rules, lang),
        _auction(rules, lang),
        [f"- {d}" for d in duties(rules, lang)],
        _meld(rules, lang),
        _score(rules, lang),
        [f"- {escape(d.nl if nl else d.en)} (`{d.key.replace('`', '')}`)" for d in rules.decisions],
    ]
    for title, body in zip(titles, bodies):
        if body:
            parts += [f"## {title}", "", *body, ""]
    if rules.decisions:
        parts.append(
            "Wie het anders speelt zet de genoemde sleutel in een eigen bestand: zie "
            "docs/house-rules.md."
            if nl
            else "Who plays otherwise sets the key named in a file of his own: see "
            "docs/house-rules.md."
        )
    return "\n".join(parts).rstrip() + "\n"


def main(folder: str) -> None:
    """Write ``ID.md`` and ``ID.nl.md`` of every built-in rule set."""
    for rules_id in BUILTIN_IDS:
        rules = load_ruleset(rules_id)
        Path(folder, f"{rules_id}.md").write_text(rules_page(rules), "utf-8")
        Path(folder, f"{rules_id}.nl.md").write_text(rules_page(rules, "nl"), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
