// Streamlit's own words in the viewer's language, in place: it speaks English only. Words are
// changed where Streamlit puts its own (PLACES) and where they are exactly those we know, so that
// no data is ever touched. Tables that move sideways are made reachable for the keyboard.
const PLACES = [
  "[data-testid='stFileUploaderDropzone'] button",
  "[data-testid='stFileUploaderDropzoneInstructions']",
  "[data-testid='InputInstructions']",
  "[data-testid='stSelectboxVirtualDropdown'] [data-empty='true']",
  "[data-testid='stDialog'] section",
  "[data-testid='stSkipToContent']",
].join();
const MOVING = ".st-key-rules_page table";
const NAMES = ["aria-label", "title"];
const STATE = { words: {}, patterns: [], observer: null, waiting: false };

function translated(text) {
  const known = STATE.words[text];
  if (known !== undefined) return known;
  for (const [pattern, ours] of STATE.patterns) {
    const found = pattern.exec(text);
    if (found) return ours.replace("{n}", found[1]);
  }
  return text;
}

function look() {
  STATE.waiting = false;
  for (const place of document.querySelectorAll(PLACES)) {
    const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const ours = translated(node.nodeValue);
      if (ours !== node.nodeValue) node.nodeValue = ours;
    }
  }
  for (const node of document.querySelectorAll("[aria-label], [title]")) {
    for (const name of NAMES) {
      const now = node.getAttribute(name);
      const ours = now === null ? null : translated(now);
      if (ours !== now) node.setAttribute(name, ours);
    }
  }
  for (const table of document.querySelectorAll(MOVING)) {
    if (table.tabIndex < 0) table.tabIndex = 0;
  }
}

function soon() {
  if (STATE.waiting) return;
  STATE.waiting = true;
  requestAnimationFrame(look);
}

export default function (component) {
  const { lang, words, patterns } = component.data;
  document.documentElement.lang = lang;
  STATE.words = words;
  STATE.patterns = patterns.map(([pattern, ours]) => [new RegExp(pattern), ours]);
  if (!STATE.observer) {
    STATE.observer = new MutationObserver(soon);
    STATE.observer.observe(document.body, {
      subtree: true, childList: true, characterData: true, attributeFilter: NAMES,
    });
  }
  look();
}
