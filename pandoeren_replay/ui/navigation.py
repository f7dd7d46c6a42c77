"""The pages and their addresses; how one page leads to another."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NoReturn

import streamlit as st

from pandoeren_replay.ui.texts import Texts

# Address, module under pages/, icon.
PAGES = {
    "evening": ("evening", ":material/nightlife:"),
    "hands": ("hands", ":material/view_list:"),
    "replay": ("replay", ":material/play_circle:"),
    "enter": ("enter", ":material/edit_note:"),
    "contracts": ("contracts", ":material/leaderboard:"),
    "bidding": ("bidding", ":material/campaign:"),
    "players": ("players", ":material/group:"),
    "partners": ("partners", ":material/handshake:"),
    "rules": ("rules", ":material/menu_book:"),
    "studies": ("studies", ":material/school:"),
    "import": ("import_", ":material/upload_file:"),
    "correct": ("correct", ":material/edit_document:"),
    "solve": ("solve", ":material/psychology:"),
    "puzzles": ("puzzles", ":material/extension:"),
    "sql": ("sql", ":material/database_search:"),
    "about": ("about", ":material/info:"),
}
DEFAULT = "evening"
# Always in sight on a wide screen; a phone leaves some to the menu, which has all of them.
IN_SIGHT = ("evening", "hands", "replay", "enter", "players", "contracts", "import")


def pages(text: Texts) -> list[Any]:
    """Everything that has an address: the pages, and the first one by its own name too.

    The default page is at the root of the site; under its name Streamlit would not find it.
    """
    return [*(page(name, text) for name in PAGES), page(DEFAULT, text, alias=True)]


def page(name: str, text: Texts, *, alias: bool = False) -> Any:
    """A page of the dashboard, as Streamlit's navigation wants it.

    ``alias`` makes of the default page one at the address of its name, shown in no list.
    """
    first = name == DEFAULT and not alias
    module_name, icon = PAGES[name]
    module = import_module(f"pandoeren_replay.ui.pages.{module_name}")
    show: Callable[[], None] = module.page
    return st.Page(
        show,
        title=text(f"nav.{name}"),
        icon=icon,
        # Two pages of one path would clash, and that of the default page is the root anyhow.
        url_path="" if first else name,
        default=first,
        visibility="hidden" if alias else "visible",
    )


def open_page(name: str, text: Texts, query: Mapping[str, str] | None = None) -> NoReturn:
    """Leads to another page."""
    st.switch_page(page(name, text), query_params=dict(query or {}))
    raise AssertionError("switch_page does not return")


def bar(text: Texts, current: str) -> None:
    """The row of links to the pages in sight and a menu of all of them: one row on every screen.

    ``current`` is the page that is shown: every page has a menu of its own, so that it is closed
    again after a choice.
    """
    with st.container(horizontal=True, gap=None, key="pages"):
        for name in IN_SIGHT:
            if name in PAGES:
                link(name, text, text(f"nav.{name}"))
        with (
            st.popover(text("nav.menu"), icon=":material/menu:", key=f"menu_{current}"),
            st.container(key=f"menu_links_{current}"),
        ):
            for name in PAGES:
                link(name, text, text(f"nav.{name}"))


def link(name: str, text: Texts, label: str, query: Mapping[str, str] | None = None) -> None:
    """A link to a page. ``label`` is one of our own texts, not data (it is read as Markdown)."""
    st.page_link(page(name, text), label=label, query_params=dict(query or {}))
