// Verdicts with open cards: values on the cards, what each card cost, the next mistake.

function verdictData(view) {
  const v = view.data.verdicts;
  return v && v.state === "done" ? v : null;
}

/** The verdict of the card that was played last at this step. */
function verdictAt(view, step) {
  const v = verdictData(view);
  return v && step.state && step.state.ply > 0 ? v.cards[step.state.ply - 1] ?? null : null;
}

/** What every legal card of the player to play is worth, or null. */
function valuesAt(view, step) {
  const v = verdictData(view);
  return v && step.state ? v.cards[step.state.ply] ?? null : null;
}

function valueMark(view, value) {
  if (verdictData(view).goal === "points") return String(value);
  return value ? "✓" : "✗";
}

function valueWords(view, value) {
  if (verdictData(view).goal === "points") return fill(view.text.value_points, { n: value });
  return value ? view.text.value_made : view.text.value_lost;
}

/** Values may be seen unless the viewer plays along, or would see another's hand by them. */
function showsValues(view, step) {
  if (view.quiz || !step.state) return false;
  return view.seat === null || view.seat === step.state.to_play;
}

function drawValues(view, step) {
  const layer = view.svgParts.values;
  layer.replaceChildren();
  const here = showsValues(view, step) ? valuesAt(view, step) : null;
  if (!here) return;
  const { l } = view;
  const size = l.narrow ? 13 : 15;
  for (const item of view.handCards) {
    if (item.seat !== here.seat || !item.code || !(item.code in here.values)) continue;
    if (!step.state.hands[item.seat].includes(item.code)) continue;
    const best = here.best.includes(item.code);
    const words = `${best ? "●" : ""}${valueMark(view, here.values[item.code])}`;
    const side = item.seat === 1 ? [item.x - 3, "end"] : [item.x + l.cw + 3, "start"];
    const [x, anchor] = item.seat % 2 ? side : [item.x + l.cw / 2, "middle"];
    const y = item.seat % 2 ? item.y + size * 0.95 : item.y + l.ch - size * 0.75;
    const tag = pill(view, x, y, words, best ? "value best" : "value", size, anchor).g;
    tag.setAttribute("data-value", item.code);
    layer.append(tag);
  }
}

function drawVerdict(view, step) {
  const note = view.quiz ? null : verdictAt(view, step);
  view.verdictLine.className = note ? `verdict ${note.verdict}` : "verdict";
  view.verdictLine.textContent = note ? note.text : "";
  const v = verdictData(view);
  const now = step.state ? step.state.ply - 1 : -1;
  view.lossBars?.forEach((bar, i) => bar.classList.toggle("now", i === now));
  view.legend.hidden = !v || !showsValues(view, step) || !valuesAt(view, step);
}

/** The verdicts by what the players could see, once they are there. */
function fairData(view) {
  const fair = verdictData(view)?.fair;
  return fair && fair.state === "done" ? fair : null;
}

function drawFair(view, step) {
  const fair = view.quiz ? null : fairData(view);
  const note = fair && step.state && step.state.ply > 0 ? fair.cards[step.state.ply - 1] : null;
  view.fairLine.className = note ? `fairline ${note.verdict}` : "fairline";
  view.fairLine.textContent = note ? note.words : "";
}

/** Mistakes and doubtful cards by what the players could see; or how far that is. */
function fairPanel(view) {
  const { text } = view;
  const fair = verdictData(view).fair;
  if (!fair) return [];
  const head = [el("h3", {}, text.h_fair), el("p", { class: "remark" }, text.fair_about)];
  if (fair.state !== "done") {
    const bar = fair.state === "running" ? el("progress", { "aria-label": fair.words }) : null;
    return [...head, el("div", { class: "solver" }, el("p", { role: "status" }, fair.words), bar)];
  }
  const list = el("ol", { class: "mistakes fair" });
  const found = fair.cards.filter((c) => c && (c.verdict === "mistake" || c.verdict === "doubtful"));
  for (const card of found) {
    const place = fill(text.review_mistake, { trick: Math.floor(card.ply / 4) + 1, name: seatName(view, card.seat) });
    const node = button(`${place}: ${card.words}`, el("span", {}, place), () => go(view, view.base + card.ply + 1), { class: "mistake", "data-fair": card.ply });
    node.append(chip(view, card.card), el("strong", {}, `${card.word} ${card.lost}`));
    list.append(el("li", {}, node));
  }
  const bid = fair.bid ? el("p", { class: "fairbid" }, fair.bid) : null;
  return [...head, found.length ? list : el("p", { class: "clean" }, text.fair_clean), bid, fair.weighed ? el("p", { class: "remark" }, fair.weighed) : null].filter(Boolean);
}

function mistakes(view) {
  const v = verdictData(view);
  return v ? v.cards.filter((c) => c.loss > 0) : [];
}

function nextMistake(view) {
  if (view.quiz) return;
  if (!verdictData(view)) {
    view.jump = true;
    wantVerdicts(view, true);
    return;
  }
  const list = mistakes(view).map((c) => view.base + c.ply + 1);
  if (!list.length) {
    view.status.textContent = view.text.review_clean;
    return;
  }
  go(view, list.find((i) => i > view.index) ?? list[0]);
}

function wantVerdicts(view, on) {
  keepChoice("verdicts", on);
  view.want = { ...view.want, verdicts: on, cancelled: on ? null : view.data.key };
  view.component.setStateValue("want", view.want);
}

function toggleVerdicts(view) {
  wantVerdicts(view, view.data.verdicts.state === "off");
}

/** The bar under the table: a column for each card, as high as what it cost. */
function lossBar(view, v) {
  const n = Math.max(32, v.cards.length);
  const most = Math.max(1, ...v.cards.map((c) => Math.abs(c.loss)));
  const root = svg("svg", { class: "lossbar", viewBox: `0 0 ${n * 10} 44`, preserveAspectRatio: "none", "aria-hidden": "true" });
  view.lossBars = v.cards.map((card, i) => {
    const g = svg("g", { class: `loss ${card.side ? "ours" : "theirs"}` });
    const high = card.loss > 0 ? Math.max(5, (card.loss / most) * 40) : 1.5;
    g.append(svg("rect", { class: "slot", x: i * 10, y: 0, width: 10, height: 44 }));
    g.append(svg("rect", { class: "cost", x: i * 10 + 1.5, y: 44 - high, width: 7, height: high }));
    if (i % 4 === 0 && i) g.append(svg("line", { x1: i * 10, x2: i * 10, y1: 0, y2: 44 }));
    g.addEventListener("click", () => go(view, view.base + i + 1));
    root.append(g);
    return g;
  });
  return root;
}

function drawReview(view) {
  const { text, data } = view;
  const v = data.verdicts;
  view.lossBars = null;
  const waiting = data.waiting ?? (v.state === "off" || v.state === "done" ? null : { running: v.state === "running", words: v.words, hint: v.hint });
  const box = view.verdictBox;
  box.replaceChildren();
  if (waiting) {
    const hint = waiting.hint ? el("span", { class: "hint" }, ` ${waiting.hint}`) : null;
    const words = el("p", { role: "status" }, waiting.words, hint);
    const bar = waiting.running ? el("progress", { "aria-label": waiting.words }) : null;
    const stop = waiting.running ? button(text.review_stop, text.review_stop, () => stopSolver(view), { "data-do": "stop" }) : null;
    box.append(el("div", { class: "solver" }, words, bar, stop));
  }
  const on = v.state !== "off";
  view.reviewButton.textContent = on ? text.review_hide : text.review_off;
  view.reviewButton.setAttribute("aria-pressed", String(on));
  view.mistakeButton.disabled = v.state === "done" && !mistakes(view).length;
  if (v.state === "done") {
    const keyed = el("p", { class: "barkey" }, text.review_bar, ": ",
      el("span", { class: "key ours" }), ` ${text.review_bar_side} `, el("span", { class: "key theirs" }), ` ${text.review_bar_def}`);
    box.append(el("figure", { class: "losses spoiler" }, lossBar(view, v), keyed));
  }
  view.legend.textContent = v.state === "done" ? text[`review_legend_${v.goal}`] : "";
  view.review.replaceChildren(...(v.state === "done" ? reviewPanel(view, v) : []));
  view.review.hidden = v.state !== "done";
}

function reviewPanel(view, v) {
  const { text, data } = view;
  const points = v.goal === "points";
  const start = points ? fill(text.review_start, { start: v.start, result: v.result }) : v.start ? text.review_start_made : text.review_start_lost;
  const found = mistakes(view);
  const lost = el("p", {}, `${text.review_lost_by} `, v.lost_by.map((n, i) => `${data.seats[i].name_long} ${n}`).join(" · "));
  const list = el("ol", { class: "mistakes" });
  for (const card of [...found].sort((a, b) => b.loss - a.loss)) {
    const place = fill(text.review_mistake, { trick: Math.floor(card.ply / 4) + 1, name: seatName(view, card.seat) });
    const cost = card.verdict === "turned" ? text.review_turned : "";
    const amount = points ? fill(text.review_cost, { n: card.loss }) : "";
    const node = button(card.text, el("span", {}, place), () => go(view, view.base + card.ply + 1), { class: "mistake", "data-mistake": card.ply });
    node.append(chip(view, card.card), el("strong", {}, [amount, cost].filter(Boolean).join(" · ")));
    list.append(el("li", {}, node));
  }
  const declared = v.declaration.map((d) => el("p", { class: d.loss > 0 ? "cost" : "" }, d.text));
  return [el("h3", {}, text.h_review), el("p", { class: "remark" }, text.review_about), el("p", {}, start),
    points ? lost : null, found.length ? list : el("p", { class: "clean" }, text.review_clean), ...declared, ...fairPanel(view)].filter(Boolean);
}

function stopSolver(view) {
  if (view.data.waiting) leaveLine(view);
  else wantVerdicts(view, false);
}

/** Whether an answer is still being worked out. */
function waits(data) {
  const v = data.verdicts;
  return data.waiting?.running || v.state === "running" || v.fair?.state === "running";
}

/** Asks how far it is, again and again: an answer that says nothing new does not come through. */
function poll(view) {
  if (!view.alive || !waits(view.data)) return;
  view.component.setTriggerValue("poll", Date.now());
  view.poll = setTimeout(() => poll(view), 1500);
}

/** New verdicts for the same hand: only what shows them is drawn again. */
function applyVerdicts(view) {
  drawReview(view);
  const step = view.steps[view.index];
  drawValues(view, step);
  drawVerdict(view, step);
  drawFair(view, step);
  drawChoices(view, step);
  clearTimeout(view.poll);
  const asked = waits(view.data);
  if (asked) view.poll = setTimeout(() => poll(view), 500);
  if (view.jump && verdictData(view)) {
    view.jump = false;
    nextMistake(view);
  }
}
