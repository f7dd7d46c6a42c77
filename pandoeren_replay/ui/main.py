"""What every viewer gets: navigation, language, one page."""

from pathlib import Path

import streamlit as st

from pandoeren_replay.store.errors import StoreError
from pandoeren_replay.ui import navigation, session
from pandoeren_replay.ui.components.words import own_words
from pandoeren_replay.ui.texts import LANGUAGES, Texts
from pandoeren_replay.ui.watching import watch

STYLE = """
header[data-testid="stHeader"] { display: none; }
div[data-testid="stMainBlockContainer"] { padding: 1rem clamp(.6rem, 4vw, 4rem) 3rem; }
a[data-testid="stPageLink-NavLink"] { min-height: 44px; padding: .3rem .6rem; }
a[data-testid="stPageLink-NavLink"] p { font-size: 1.05rem; }
.st-key-player_name [data-testid="stText"] {
  font-size: 2rem; font-weight: 700; white-space: normal; overflow-wrap: anywhere;
}
.st-key-pages { margin-bottom: .3rem; flex-wrap: nowrap !important; }
.st-key-pages button { min-height: 44px; }
/* All pages in sight at once. */
[data-testid="stPopoverBody"] [class*="st-key-menu_links"] {
  display: grid; grid-template-columns: 1fr 1fr; gap: .1rem .6rem;
}
@media (max-width: 1100px) {
  .st-key-pages a *:has(> [data-testid="stIconMaterial"]) { display: none; }
}
@media (max-width: 800px) {
  /* Evening, hands and entering stay: to the replayer one comes from the hands. */
  .st-key-pages > *:nth-child(3),
  .st-key-pages > *:nth-child(n + 5):not(:last-child) { display: none; }
  .st-key-pages a[data-testid="stPageLink-NavLink"] { padding: .2rem .45rem; }
  .st-key-pages a p { font-size: 1rem; }
}
.st-key-words { position: absolute; width: 0; height: 0; overflow: hidden; }
/* The bid table is wider than a phone: it moves sideways by itself, and nothing of it is cut. */
.st-key-rules_page [data-testid="stMarkdownContainer"] table {
  display: block; max-width: 100%; overflow-x: auto;
}
@media print {
  .st-key-pages, .st-key-foot, [data-testid="stDecoration"] { display: none !important; }
  div[data-testid="stMainBlockContainer"] { padding: 0; max-width: none; }
}
"""
ICON = Path(__file__).with_name("icon.svg")


def run() -> None:
    """Shows the page that the address names."""
    text = session.texts()
    st.set_page_config(page_title=text("app.title"), page_icon=str(ICON), layout="wide")
    chosen = st.navigation(navigation.pages(text), position="hidden")
    # Our own style sheet and nothing else: no data ever stands in it.
    st.html(f"<style>{STYLE}</style>")
    own_words(text)
    if not session.allowed():
        return
    navigation.bar(text, chosen.url_path or navigation.DEFAULT)
    try:
        chosen.run()
    except StoreError as e:
        # One sentence that says what is wrong with the store; it may hold names of files.
        st.error(text("app.store_failed"), icon=":material/database_off:")
        st.text(str(e))
    _footer(text)
    watch(chosen.url_path)


def _footer(text: Texts) -> None:
    st.divider()
    with st.container(horizontal=True, vertical_alignment="center", key="foot"):
        for lang in LANGUAGES:
            if st.button(
                text(f"app.language_{lang}"),
                key=f"language_{lang}",
                type="primary" if lang == text.lang else "secondary",
            ):
                st.session_state["language"] = lang
                st.rerun()
        navigation.link("about", text, text("app.about_link"))
