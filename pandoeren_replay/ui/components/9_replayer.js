// One hand in the browser: steps, keys, buttons, address bar. Python hears of the place late.
const VIEWS = new WeakMap();
const SPEEDS = [3, 2, 1, 0.5];

function readChoice(name, fallback) {
  try {
    return JSON.parse(localStorage.getItem(`pandoeren.${name}`) ?? "null") ?? fallback;
  } catch {
    return fallback; // storage switched off: the choice then lasts as long as the page
  }
}

function keepChoice(name, value) {
  try {
    localStorage.setItem(`pandoeren.${name}`, JSON.stringify(value));
  } catch {
    // storage switched off: nothing to keep it in
  }
}

/** Steps of a hand: after 0, 1, … calls, then with 0, 1, … cards on the table. */
function stepsOf(data) {
  const steps = [];
  const n = data.auction.length;
  for (let call = 0; n && call <= n; call += 1) {
    const next = call < n ? data.auction[call].seat : null;
    steps.push({ state: null, call, to_call: next, code: `a${call}` });
  }
  for (const state of data.states) steps.push({ state, call: n, to_call: null, code: String(state.ply) });
  return steps;
}

function setHand(view, data) {
  view.data = data;
  view.text = data.text;
  view.steps = stepsOf(data);
  view.base = data.auction.length ? data.auction.length + 1 : 0;
  view.violationSteps = [...new Set(data.violations.filter((v) => v.severity !== "info").map((v) => v.step))].sort((a, b) => a - b);
}

function indexOfCode(view, code) {
  const i = view.steps.findIndex((step) => step.code === code);
  return i < 0 ? view.base : i;
}

function sentence(view, step) {
  const { data, text } = view;
  const state = step.state;
  if (!state) {
    if (step.call === 0) return fill(text.say_dealt, { name: seatName(view, data.dealer) });
    const call = data.auction[step.call - 1];
    return fill(text.say_call, { name: seatName(view, call.seat), call: call.label });
  }
  if (state.ply === 0) return data.say_declared;
  const play = data.plays[state.ply - 1];
  const parts = [fill(text.say_play, { trick: Math.floor((state.ply - 1) / 4) + 1, name: seatName(view, play.seat), card: cardWords(view, play.card) })];
  const done = state.trick.length === 0;
  if (done) {
    const trick = data.tricks[state.ply / 4 - 1];
    parts.push(fill(text.say_trick, { name: seatName(view, trick.winner), points: trick.points ?? "?" }));
  }
  if (state.to_play !== null && !done) parts.push(fill(text.say_next, { name: seatName(view, state.to_play) }));
  if (state.partner_known && !view.data.states[state.ply - 1].partner_known && data.partner !== null && data.partner >= 0) {
    parts.push(fill(text.say_partner, { name: seatName(view, data.partner) }));
  }
  return parts.join(" ");
}

function draw(view) {
  const step = view.steps[view.index];
  drawTable(view, step);
  drawPanels(view, step);
  const words = sentence(view, step);
  const flagged = view.flagsAt(view.index)[0];
  const tag = flagged ? el("span", { class: `kind ${flagged.severity}` }, `${view.text[`severity_${flagged.severity}`]}! `) : "";
  view.status.replaceChildren(tag, words);
  view.svgRoot.setAttribute("aria-label", words);
  view.root.setAttribute("data-step", step.code);
  for (const [node, off] of view.ends) node.disabled = off();
  drawVerdict(view, step);
  drawFair(view, step);
  drawChoices(view, step);
  drawNotesHere(view);
}

function go(view, index) {
  const next = Math.max(0, Math.min(view.steps.length - 1, index));
  if (next === view.index + 1 && quizTurn(view, view.steps[view.index])) {
    if (view.timer) play(view, false);
    view.status.textContent = view.text.quiz_first;
    return;
  }
  if (next === view.index) {
    if (view.timer) play(view, false);
    return;
  }
  view.index = next;
  draw(view);
  clearTimeout(view.report);
  view.report = setTimeout(() => report(view), 250);
}

function link(view) {
  const url = new URL(window.location.href);
  url.searchParams.set("hand", view.data.key);
  url.searchParams.set("ply", view.steps[view.index].code);
  if (view.data.line) url.searchParams.set("line", view.data.line.code);
  else url.searchParams.delete("line");
  return url;
}

function report(view) {
  if (!view.alive) return;
  window.history.replaceState(window.history.state, "", link(view));
  view.component.setStateValue("ply", view.steps[view.index].code);
}

function byTrick(view, direction) {
  const { base, index } = view;
  if (direction > 0) {
    if (index < base) return go(view, base);
    return go(view, base + (Math.floor((index - base) / 4) + 1) * 4);
  }
  if (index <= base) return go(view, 0);
  return go(view, base + (Math.ceil((index - base) / 4) - 1) * 4);
}

function toViolation(view, direction) {
  const list = view.violationSteps;
  const found = direction > 0 ? list.find((i) => i > view.index) : list.findLast((i) => i < view.index);
  if (found !== undefined) go(view, found);
  else if (list.length) go(view, direction > 0 ? list[0] : list[list.length - 1]);
  else view.status.textContent = view.text.no_violations;
}

function play(view, on = !view.timer) {
  clearInterval(view.timer);
  view.timer = null;
  if (on) {
    if (view.index === view.steps.length - 1) go(view, 0);
    view.timer = setInterval(() => {
      if (view.index === view.steps.length - 1) play(view, false);
      else go(view, view.index + 1);
    }, view.speed * 1000);
  }
  view.playButton.textContent = on ? view.text.pause : view.text.autoplay;
  view.playButton.setAttribute("aria-pressed", String(on));
}

function lookFrom(view, seat) {
  view.seat = seat;
  if (view.quiz && seat === null) return stopQuiz(view);
  if (view.quiz) view.quiz.seat = seat;
  view.seatSelect.value = seat === null ? "" : String(seat);
  draw(view);
}

function fourColours(view, on = !view.four) {
  view.four = on;
  view.root.classList.toggle("four", on);
  view.fourBox.checked = on;
  keepChoice("four", on);
}

async function copyLink(view) {
  const text = String(link(view));
  window.history.replaceState(window.history.state, "", text);
  await copyText(view, text, view.text.link_copied);
}

function otherHand(view, id) {
  if (!id) return;
  if (view.want.line) {
    view.want = { ...view.want, line: null };
    view.component.setStateValue("want", view.want);
  }
  view.component.setTriggerValue("goto", id);
}

function help(view) {
  if (view.dialog.open) view.dialog.close();
  else view.dialog.showModal();
}

const KEYS = {
  ArrowRight: (v) => go(v, v.index + 1),
  ArrowLeft: (v) => go(v, v.index - 1),
  ArrowDown: (v) => byTrick(v, 1),
  ArrowUp: (v) => byTrick(v, -1),
  Home: (v) => go(v, 0),
  End: (v) => go(v, v.steps.length - 1),
  " ": (v) => play(v),
  n: (v) => toViolation(v, 1),
  p: (v) => toViolation(v, -1),
  0: (v) => lookFrom(v, null),
  1: (v) => lookFrom(v, 0),
  2: (v) => lookFrom(v, 1),
  3: (v) => lookFrom(v, 2),
  4: (v) => lookFrom(v, 3),
  f: (v) => fourColours(v),
  l: (v) => copyLink(v),
  "[": (v) => otherHand(v, v.data.previous),
  "]": (v) => otherHand(v, v.data.next),
  "?": (v) => help(v),
  v: (v) => toggleVerdicts(v),
  m: (v) => nextMistake(v),
  w: (v) => toggleWhatIf(v),
  q: (v) => toggleQuiz(v),
  o: (v) => writeNote(v),
  s: (v) => toggleStar(v),
  Escape: (v) => escape(v),
};
const FIELDS = "input,textarea,select,canvas,[contenteditable=''],[contenteditable='true'],[role='grid'],[role='listbox'],[role='combobox'],[role='slider'],[role='menu'],[role='tablist']";

function onKey(view, event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const target = event.composedPath()[0];
  if (target instanceof Element) {
    if (target.closest(FIELDS) && target !== view.fourBox) return;
    if (event.key === " " && target.closest("button,a,summary,input")) return;
  }
  if (view.dialog.open && event.key !== "?") return;
  const act = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!act) return;
  event.preventDefault();
  act(view);
}

function buildControls(view) {
  const { text, data } = view;
  const last = () => view.steps.length - 1;
  const first = button(text.b_first, "|◀", () => go(view, 0), { "data-do": "first" });
  const prevTrick = button(text.b_prev_trick, `◀◀ ${text.trick}`, () => byTrick(view, -1), { "data-do": "prev-trick" });
  const prev = button(text.b_prev, `◀ ${text.card}`, () => go(view, view.index - 1), { "data-do": "prev", class: "main" });
  const next = button(text.b_next, `${text.card} ▶`, () => go(view, view.index + 1), { "data-do": "next", class: "main" });
  const nextTrick = button(text.b_next_trick, `${text.trick} ▶▶`, () => byTrick(view, 1), { "data-do": "next-trick" });
  const end = button(text.b_last, "▶|", () => go(view, last()), { "data-do": "last" });
  view.ends = [
    [first, () => view.index === 0], [prevTrick, () => view.index === 0], [prev, () => view.index === 0],
    [next, () => view.index === last()], [nextTrick, () => view.index === last()], [end, () => view.index === last()],
  ];
  const steps = el("div", { class: "steps", role: "group", "aria-label": text.g_steps }, first, prevTrick, prev, next, nextTrick, end);
  const none = !view.violationSteps.length;
  const prevBad = button(text.b_prev_violation, `◀ ${text.violation}`, () => toViolation(view, -1), { "data-do": "prev-violation", class: "spoiler", disabled: none });
  const nextBad = button(text.b_next_violation, `${text.violation} ▶`, () => toViolation(view, 1), { "data-do": "next-violation", class: "spoiler", disabled: none });
  const hands = [];
  if (data.previous) hands.push(button(text.b_prev_hand, `◀ ${text.hand}`, () => otherHand(view, data.previous), { "data-do": "prev-hand" }));
  if (data.next) hands.push(button(text.b_next_hand, `${text.hand} ▶`, () => otherHand(view, data.next), { "data-do": "next-hand" }));
  view.playButton = el("button", { type: "button", "data-do": "play", "aria-pressed": "false" }, text.autoplay);
  view.playButton.addEventListener("click", () => play(view));
  const speed = el("select", { "data-do": "speed" }, ...SPEEDS.map((s) => el("option", { value: s, selected: s === view.speed }, fill(text.seconds, { n: String(s).replace(".", text.decimal) }))));
  speed.addEventListener("change", () => {
    view.speed = Number(speed.value);
    keepChoice("speed", view.speed);
    if (view.timer) play(view, true);
  });
  view.seatSelect = el("select", { "data-do": "seat" }, el("option", { value: "" }, text.all_hands),
    ...data.seats.map((seat, i) => el("option", { value: i }, fill(text.only_hand, { name: seat.label }))));
  view.seatSelect.value = view.seat === null ? "" : String(view.seat);
  view.seatSelect.addEventListener("change", () => lookFrom(view, view.seatSelect.value === "" ? null : Number(view.seatSelect.value)));
  view.fourBox = el("input", { type: "checkbox", "data-do": "four" });
  view.fourBox.checked = view.four;
  view.fourBox.addEventListener("change", () => fourColours(view, view.fourBox.checked));
  view.reviewButton = button(text.b_review, text.review_off, () => toggleVerdicts(view), { "data-do": "review", class: "spoiler" });
  view.mistakeButton = button(text.b_next_mistake, `${text.mistake} ▶`, () => nextMistake(view), { "data-do": "next-mistake", class: "spoiler" });
  view.whatifButton = button(text.b_whatif, text.whatif, () => toggleWhatIf(view), { "data-do": "whatif", class: "spoiler" });
  view.quizButton = button(text.b_quiz, text.quiz, () => toggleQuiz(view), { "data-do": "quiz" });
  const study = el("div", { class: "more studying" }, view.reviewButton, view.mistakeButton, view.whatifButton, view.quizButton);
  const more = el("div", { class: "more", role: "group", "aria-label": text.g_more }, prevBad, nextBad, ...hands, view.playButton,
    el("label", {}, el("span", {}, text.speed), speed), el("label", {}, el("span", {}, text.look), view.seatSelect),
    el("label", { class: "check" }, view.fourBox, el("span", {}, text.four)),
    button(text.b_help, text.help, () => help(view), { "data-do": "help" }));
  return [steps, study, more];
}

function buildDialog(view) {
  const { text } = view;
  const rows = text.keys.map(([keys, what]) => el("tr", {}, el("th", { scope: "row" }, ...keys.split(" ").map((k) => el("kbd", {}, k))), el("td", {}, what)));
  view.dialog = el("dialog", { "aria-label": text.h_keys }, el("h3", {}, text.h_keys), el("table", {}, ...rows),
    button(text.close, text.close, () => view.dialog.close(), { class: "main" }));
  return view.dialog;
}

function build(view) {
  const [steps, study, more] = buildControls(view);
  view.status = el("p", { class: "status", role: "status", "aria-live": "polite" });
  view.here = el("div", { class: "here", "aria-live": "polite" });
  view.verdictLine = el("p", { class: "verdict", "aria-live": "polite" });
  view.fairLine = el("p", { class: "fairline", "aria-live": "polite" });
  view.verdictBox = el("div", { class: "verdictbox" });
  view.legend = el("p", { class: "remark legend spoiler", hidden: true });
  view.choices = el("div", { class: "choices", "aria-live": "polite" });
  view.notesHere = el("div", { class: "noteshere" });
  view.review = el("section", { class: "review spoiler", hidden: true });
  view.paper = el("div", { class: "paper" });
  view.lastTrick = el("p", { class: "lasttrick" });
  view.svgParts = { hands: svg("g"), values: svg("g"), trick: svg("g"), bubbles: svg("g"), names: svg("g") };
  view.svgRoot = svg("svg", { class: "table", role: "img" }, ...Object.values(view.svgParts));
  view.svgRoot.addEventListener("click", (event) => {
    const card = event.target.closest(".hands .can");
    if (card) choose(view, card.dataset.card);
  });
  view.tableBox = el("div", { class: "tablebox" }, view.svgRoot);
  const left = el("div", { class: "left" }, buildLine(view), view.status, view.tableBox, steps, view.choices, view.here, view.verdictLine, view.fairLine,
    view.notesHere, view.legend, view.verdictBox, study, view.lastTrick, more, buildSharing(view));
  const right = el("div", { class: "right" }, buildScore(view), view.review, buildViolations(view), buildFacts(view), buildAuction(view), buildClaims(view), buildTricks(view), buildNotes(view));
  view.root.replaceChildren(el("div", { class: "screen" }, buildHeader(view), el("div", { class: "cols" }, left, right)), view.paper, buildDialog(view));
}

function isDark(root) {
  const colour = getComputedStyle(root).getPropertyValue("--st-background-color").trim();
  RULER.fillStyle = "#ffffff";
  RULER.fillStyle = colour || "#ffffff";
  const n = parseInt(RULER.fillStyle.slice(1, 7), 16);
  return ((n >> 16) * 0.3 + ((n >> 8) & 255) * 0.59 + (n & 255) * 0.11) < 128;
}

function mount(parent, component) {
  const root = el("div", { class: "pandoeren", lang: component.data.lang });
  const view = { root, component, alive: true, index: 0, seat: null, timer: null, four: readChoice("four", false), speed: readChoice("speed", 1), want: { verdicts: readChoice("verdicts", null) } };
  view.fontFamily = getComputedStyle(parent.host ?? parent).fontFamily;
  view.go = (i) => go(view, i);
  view.flagsAt = (i) => view.data.violations.filter((v) => v.step === i && v.severity !== "info");
  view.listener = (event) => onKey(view, event);
  parent.querySelector(".mount").replaceChildren(root);
  document.addEventListener("keydown", view.listener);
  view.printing = () => drawPaper(view);
  window.addEventListener("beforeprint", view.printing);
  view.sizes = new ResizeObserver(() => {
    const width = Math.floor(view.tableBox.clientWidth);
    if (width > 0 && width !== view.l.width) {
      resizeTable(view, width);
      draw(view);
    }
  });
  VIEWS.set(parent, view);
  return view;
}

function show(view, data) {
  const fresh = !view.data || view.data.key !== data.key;
  const code = view.startAt ?? (fresh ? data.start : view.steps[view.index].code);
  view.startAt = null;
  if (fresh) {
    view.quiz = null;
    view.choosing = false;
    view.root.classList.remove("quiz");
  }
  setHand(view, data);
  if (fresh && view.timer) clearInterval(view.timer);
  if (fresh) view.timer = null;
  view.root.setAttribute("lang", data.lang);
  view.root.classList.toggle("four", view.four);
  build(view);
  view.index = indexOfCode(view, code);
  resizeTable(view, Math.max(300, Math.floor(view.tableBox.clientWidth) || 300));
  draw(view);
  applyVerdicts(view);
  applyNotes(view);
  if (view.refocus) view.root.querySelector("[data-do='real'],[data-do='whatif']")?.focus();
  view.refocus = false;
  if (view.timer) play(view, true);
  view.sizes.disconnect();
  view.sizes.observe(view.tableBox);
}

/** The same hand once more: only verdicts and notes may be new. */
function refresh(view, data) {
  const shown = JSON.stringify([data.verdicts, data.waiting]);
  const said = JSON.stringify(data.notes);
  Object.assign(view.data, { verdicts: data.verdicts, waiting: data.waiting, notes: data.notes, phn: data.phn });
  if (shown !== view.shown || waits(data)) applyVerdicts(view);
  if (said !== view.said || view.noteMessage.textContent) applyNotes(view);
  view.shown = shown;
  view.said = said;
  if (!data.waiting) view.startAt = null;
}

export default function (component) {
  const parent = component.parentElement;
  const view = VIEWS.get(parent) ?? mount(parent, component);
  view.component = component;
  view.root.classList.toggle("dark", isDark(view.root));
  if (view.stamp !== component.data.stamp) {
    view.stamp = component.data.stamp;
    show(view, component.data);
    if (!view.told) {
      view.told = true;
      if (view.want.verdicts !== null) component.setStateValue("want", view.want);
    } else {
      window.history.replaceState(window.history.state, "", link(view));
    }
  } else {
    refresh(view, component.data);
  }
  return () => {
    view.alive = false;
    clearInterval(view.timer);
    clearTimeout(view.report);
    clearTimeout(view.poll);
    window.removeEventListener("beforeprint", view.printing);
    view.sizes.disconnect();
    document.removeEventListener("keydown", view.listener);
    VIEWS.delete(parent);
  };
}
