// Small builders. Data from outside only ever becomes text nodes or attribute values that are
// not interpreted (never innerHTML, never href), so a hostile name is shown, not run.
const SVG_NS = "http://www.w3.org/2000/svg";

function addTo(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== null && child !== undefined) node.append(child);
  return node;
}

function el(tag, attributes = {}, ...children) {
  return addTo(document.createElement(tag), attributes, children);
}

function svg(tag, attributes = {}, ...children) {
  return addTo(document.createElementNS(SVG_NS, tag), attributes, children);
}

function fill(template, values) {
  return template.replace(/\{(\w+)\}/g, (all, name) => (name in values ? String(values[name]) : all));
}

// Suits in a box of 100 by 100, drawn as paths so that no font decides how they look.
const SUIT_PATHS = [
  "M50 4C60 24 93 40 93 65C93 82 70 87 56 73C57 84 62 92 71 96H29C38 92 43 84 44 73C30 87 7 82 7 65C7 40 40 24 50 4Z",
  "M50 94C41 78 6 58 6 31C6 9 38 2 50 28C62 2 94 9 94 31C94 58 59 78 50 94Z",
  "M50 3L89 50L50 97L11 50Z",
  "M50 4A22 22 0 0 1 66 41A22 22 0 1 1 55 68C56 82 62 92 71 96H29C38 92 44 82 45 68A22 22 0 1 1 34 41A22 22 0 0 1 50 4Z",
];
const SUIT_LETTERS = "SHDC";

function suitOf(code) {
  return SUIT_LETTERS.indexOf(code[0]);
}

function rankText(view, code) {
  return view.text.ranks[code[1]];
}

/** A card in words, for screen readers: "hearts ace". */
function cardWords(view, code) {
  return fill(view.text.card_words, {
    suit: view.text.suits[suitOf(code)],
    rank: view.text.rank_names[code[1]],
  });
}

function suitIcon(suit, size = "0.95em") {
  const path = svg("path", { d: SUIT_PATHS[suit], class: `suit s${suit}` });
  return svg("svg", { viewBox: "0 0 100 100", width: size, height: size, "aria-hidden": "true", class: "icon" }, path);
}

/** A small card inside a line of text. */
function chip(view, code, extra = "") {
  const words = el("span", { class: "sr" }, cardWords(view, code));
  const face = el("span", { "aria-hidden": "true" }, rankText(view, code), suitIcon(suitOf(code)));
  return el("span", { class: `chip s${suitOf(code)} ${extra}`, "data-chip": code }, face, words);
}

function suitChip(view, suit) {
  const words = el("span", { class: "suitname" }, view.text.suits[suit]);
  return el("span", { class: `chip s${suit}` }, suitIcon(suit, "1.1em"), words);
}

function button(label, text, onClick, attributes = {}) {
  const node = el("button", { type: "button", "aria-label": label, title: label, ...attributes });
  node.append(text);
  node.addEventListener("click", onClick);
  return node;
}
