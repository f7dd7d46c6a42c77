// A puzzle: the table as one seat saw it, and his cards to choose from.
const PUZZLES = new WeakMap();

function line(view, cards) {
  return el("span", { class: "cards" }, ...cards.map(([who, code]) => el("span", { class: "laid" }, who ? el("span", { class: "who" }, who) : null, chip(view, code))));
}

function part(title, ...children) {
  return el("section", {}, el("h3", {}, title), ...children);
}

/** The four places round the table with what lies there; the player's own is marked. */
function places(view) {
  const { data } = view;
  const box = el("div", { class: "places" });
  data.seats.forEach((seat) => {
    const laid = seat.card ? chip(view, seat.card, "big") : el("span", { class: "none" }, seat.you ? data.words.turn : "–");
    const role = seat.role ? el("span", { class: "role" }, seat.role) : null;
    box.append(el("div", { class: `place ${seat.place}${seat.you ? " you" : ""}` }, el("span", { class: "name" }, seat.name), role, laid));
  });
  return box;
}

function handButton(view, code, i) {
  const { data } = view;
  const legal = data.legal.includes(code);
  const label = fill(legal ? data.words.pick : data.words.not_allowed, { card: cardWords(view, code) });
  const answer = data.answer;
  const classes = ["pick"];
  if (answer) {
    if (answer.best.includes(code)) classes.push("best");
    if (answer.chosen === code) classes.push("chosen");
  }
  const node = button(label, "", () => choose(view, code), { class: classes.join(" "), "data-pick": code, disabled: !legal || Boolean(answer) });
  node.append(el("span", { class: "key", "aria-hidden": "true" }, String(i + 1)), chip(view, code, "big"));
  if (answer && code in answer.chances) {
    const mark = answer.best.includes(code) ? ` ${data.words.best_mark}` : "";
    node.append(el("span", { class: "chance" }, `${answer.chances[code]}${mark}`));
  }
  return node;
}

function choose(view, code) {
  if (view.data.answer || !view.data.legal.includes(code)) return;
  view.component.setTriggerValue("answer", code);
}

function onDigit(view, event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const target = event.composedPath()[0];
  if (target instanceof Element && target.closest("input,textarea,select,[contenteditable='true'],[role='combobox'],[role='listbox']")) return;
  const at = "12345678".indexOf(event.key);
  if (at < 0 || event.key.length !== 1) return;
  const code = view.data.hand[at];
  if (code) choose(view, code);
}

function drawPuzzle(view) {
  const { data } = view;
  const facts = el("ul", { class: "facts" }, ...data.facts.map((fact) => el("li", {}, fact)));
  const tricks = data.tricks.length
    ? el("ol", { class: "tricks" }, ...data.tricks.map((trick) => el("li", {}, line(view, trick.cards), el("span", { class: "won" }, trick.words))))
    : el("p", {}, data.words.none_before);
  const open = data.open.map((hand) => part(hand.title, line(view, hand.cards.map((code) => ["", code]))));
  const hand = el("div", { class: "hand", role: "group", "aria-label": data.words.hand }, ...data.hand.map((code, i) => handButton(view, code, i)));
  const shown = [facts, part(data.words.table, places(view)), ...open, part(data.words.hand, hand), el("p", { class: "hint" }, data.words.keys), part(data.words.before, tricks)];
  view.root.replaceChildren(...shown);
  view.root.setAttribute("data-puzzle", data.id);
  view.root.setAttribute("data-answered", data.answer ? data.answer.chosen : "");
}

function isDark(root) {
  const colour = getComputedStyle(root).getPropertyValue("--st-background-color").trim();
  const ruler = document.createElement("canvas").getContext("2d");
  ruler.fillStyle = "#ffffff";
  ruler.fillStyle = colour || "#ffffff";
  const n = parseInt(ruler.fillStyle.slice(1, 7), 16);
  return ((n >> 16) * 0.3 + ((n >> 8) & 255) * 0.59 + (n & 255) * 0.11) < 128;
}

export default function (component) {
  const parent = component.parentElement;
  let view = PUZZLES.get(parent);
  if (!view) {
    const root = el("div", { class: "box puzzle" });
    view = { root };
    view.listener = (event) => onDigit(view, event);
    parent.querySelector(".mount").replaceChildren(root);
    document.addEventListener("keydown", view.listener);
    PUZZLES.set(parent, view);
  }
  view.component = component;
  view.text = component.data.text;
  view.root.classList.toggle("dark", isDark(view.root));
  view.root.setAttribute("lang", component.data.lang);
  const stamp = JSON.stringify(component.data);
  if (stamp !== view.stamp) {
    view.stamp = stamp;
    view.data = component.data;
    drawPuzzle(view);
  }
  return () => {
    document.removeEventListener("keydown", view.listener);
    PUZZLES.delete(parent);
  };
}
