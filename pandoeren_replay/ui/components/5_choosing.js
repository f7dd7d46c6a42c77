// Choosing a card: another line ("what if") or playing along at one seat ("what would you play?").

function legalAt(view, step) {
  return step.state ? view.data.legal[step.state.ply] : null;
}

function toggleWhatIf(view) {
  if (view.quiz) stopQuiz(view);
  view.choosing = !view.choosing;
  draw(view);
  if (view.choosing) view.choices.querySelector("button")?.focus();
}

function playedAt(view, step) {
  return view.data.plays[step.state.ply]?.card ?? null;
}

/** Whether the viewer has to choose for the seat he plays along at. */
function quizTurn(view, step) {
  const { quiz } = view;
  if (!quiz || !step.state || step.state.to_play !== quiz.seat) return false;
  const legal = legalAt(view, step);
  return Boolean(legal && legal.length > 1 && playedAt(view, step) && !(step.state.ply in quiz.answers));
}

/** The cards on offer now; empty where nothing is to be chosen. */
function offered(view, step) {
  if (view.quiz) return quizTurn(view, step) ? legalAt(view, step) : [];
  return (view.choosing && legalAt(view, step)) || [];
}

function drawChoices(view, step) {
  const { text } = view;
  const cards = offered(view, step);
  const can = new Set(cards);
  for (const item of view.handCards) {
    const open = step.state && item.seat === step.state.to_play && can.has(item.code) && step.state.hands[item.seat].includes(item.code);
    item.node.classList.toggle("can", Boolean(open));
  }
  const parts = [];
  if (view.quiz) parts.push(el("p", { class: "asking" }, quizWords(view, step)));
  else if (view.choosing) {
    const name = step.state ? seatName(view, step.state.to_play) : "";
    parts.push(el("p", { class: "asking" }, cards.length ? fill(text.whatif_choose, { name }) : text.whatif_none));
  }
  const values = view.quiz ? null : valuesAt(view, step);
  const row = el("div", { class: "cardrow" });
  for (const code of view.data.playing.flat().filter((c) => can.has(c))) {
    const value = values && code in values.values ? values.values[code] : null;
    const words = value === null ? cardWords(view, code) : fill(text.value_words, { card: cardWords(view, code), value: valueWords(view, value) });
    const node = button(words, chip(view, code), () => choose(view, code), { class: "pick", "data-pick": code });
    if (value !== null) node.append(el("span", { class: "worth" }, `${values.best.includes(code) ? "●" : ""}${valueMark(view, value)}`));
    if (!view.quiz && code === playedAt(view, step)) node.append(el("span", { class: "was" }, bySolver(view, step) ? text.whatif_solver : text.whatif_played));
    row.append(node);
  }
  if (cards.length) parts.push(row);
  view.choices.replaceChildren(...parts);
  view.whatifButton.setAttribute("aria-pressed", String(Boolean(view.choosing)));
  view.quizButton.setAttribute("aria-pressed", String(Boolean(view.quiz)));
  view.quizButton.textContent = view.quiz ? text.quiz_stop : text.quiz;
}

function choose(view, code) {
  const step = view.steps[view.index];
  if (!offered(view, step).includes(code)) return;
  if (view.quiz) answer(view, step, code);
  else if (code === playedAt(view, step)) go(view, view.index + 1);
  else askLine(view, step, code);
}

/** Whether the card that follows here is the solver's, not one that was played or chosen. */
function bySolver(view, step) {
  const { line } = view.data;
  return line !== null && step.state.ply >= line.at + line.cards.length;
}

// -- what if -----------------------------------------------------------------------------------

/** Asks Python for the line with this card; what the viewer chose before in the line stays. */
function askLine(view, step, code) {
  const { line, plays } = view.data;
  const at = line && step.state.ply > line.at ? line.at : step.state.ply;
  const before = plays.slice(at, step.state.ply).map((p) => p.card);
  showLine(view, `${at}${[...before, code].join("")}`, step.state.ply + 1);
}

function showLine(view, text, ply) {
  view.startAt = String(ply);
  view.refocus = true;
  view.want = { ...view.want, line: { key: view.data.key, text } };
  view.component.setStateValue("want", view.want);
}

function leaveLine(view) {
  const at = view.data.line ? view.data.line.at : view.steps[view.index].state?.ply ?? 0;
  showLine(view, "", at);
}

function escape(view) {
  if (view.data.line || view.data.waiting) leaveLine(view);
  else if (view.quiz) stopQuiz(view);
  else if (view.choosing) toggleWhatIf(view);
}

function buildLine(view) {
  const { data, text } = view;
  if (!data.line) return null;
  const back = button(text.whatif_back, text.whatif_back, () => leaveLine(view), { class: "main", "data-do": "real" });
  return el("div", { class: "line", role: "note" }, el("p", {}, el("span", { class: "badge open" }, text.whatif_badge), " ", data.line.label), back);
}

// -- what would you play? ----------------------------------------------------------------------

function toggleQuiz(view) {
  if (view.quiz) return stopQuiz(view);
  const seat = view.seat ?? view.data.declarer ?? 2;
  view.choosing = false;
  view.quiz = { seat, answers: {}, same: 0, last: null };
  view.root.classList.add("quiz");
  if (view.index < view.base) view.index = view.base;
  if (view.data.verdicts.state === "off") {
    // Asked for in silence, to compare with; what the viewer likes to see stays as it was.
    view.want = { ...view.want, verdicts: true };
    view.component.setStateValue("want", view.want);
    view.quiz.borrowed = true;
  }
  lookFrom(view, seat);
}

function stopQuiz(view) {
  if (view.quiz.borrowed) {
    view.want = { ...view.want, verdicts: false };
    view.component.setStateValue("want", view.want);
  }
  view.quiz = null;
  view.root.classList.remove("quiz");
  lookFrom(view, null);
}

function quizWords(view, step) {
  const { text, quiz } = view;
  const name = seatName(view, quiz.seat);
  const tally = fill(text.quiz_tally, { same: quiz.same, asked: Object.keys(quiz.answers).length });
  const last = quiz.last && step.state && quiz.last.ply === step.state.ply - 1 ? quiz.last : null;
  const parts = last ? [...comparison(view, last), tally] : [];
  parts.push(fill(quizTurn(view, step) ? text.quiz_turn : text.quiz_wait, { name }));
  return parts.join(" ");
}

function comparison(view, { ply, code }) {
  const { text, data } = view;
  const played = data.plays[ply];
  const name = seatName(view, played.seat);
  const short = (c) => `${SUIT_SIGNS[suitOf(c)]}${rankText(view, c)}`;
  const head = code === played.card ? fill(text.quiz_same, { name, card: short(code) })
    : fill(text.quiz_other, { name, chosen: short(code), played: short(played.card) });
  const v = verdictData(view);
  const values = v?.cards[ply]?.values;
  if (!values || !(code in values)) return [head];
  const best = v.cards[ply].best[0] ?? played.card;
  const mark = (c) => valueMark(view, values[c]);
  return [head, fill(text.quiz_values, { chosen: mark(code), played: mark(played.card), best: mark(best) })];
}

function answer(view, step, code) {
  const { quiz } = view;
  const { ply } = step.state;
  quiz.answers[ply] = code;
  quiz.last = { ply, code };
  if (code === playedAt(view, step)) quiz.same += 1;
  go(view, view.index + 1);
  view.choices.querySelector("button")?.focus();
}
