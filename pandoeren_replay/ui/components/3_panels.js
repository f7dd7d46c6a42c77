// Everything beside the table: what was bid, how the points stand, the tricks, what broke a rule.

function seatName(view, seat) {
  return seat === null || seat === undefined || seat < 0 ? "?" : view.data.seats[seat].name_long;
}

function section(title, ...children) {
  return el("section", {}, el("h3", {}, title), ...children);
}

/** What a viewer who plays along may not see yet. */
function spoiler(node) {
  node.classList.add("spoiler");
  return node;
}

function buildHeader(view) {
  const { data, text } = view;
  const badge = data.simulated ? el("span", { class: "badge simulated" }, text.simulated) : null;
  const words = data.line ? `${text.whatif_badge}: ${data.result_label}` : data.result_label;
  const result = el("span", { class: `badge spoiler ${data.result_kind}` }, words);
  const title = el("h2", {}, data.title, " ", result, " ", badge);
  return el("header", {}, title, el("p", { class: "sub" }, data.subtitle));
}

function buildFacts(view) {
  const { data, text } = view;
  const list = el("dl", { class: "facts" });
  const put = (label, value, name) => {
    if (value !== null) list.append(el("div", { "data-fact": name }, el("dt", {}, label), el("dd", {}, value)));
  };
  put(text.contract, data.contract_label, "contract");
  if (data.trump !== null) put(text.trump, data.trump === 4 ? text.no_trump : suitChip(view, data.trump), "trump");
  if (data.called) put(text.called, chip(view, data.called), "called");
  view.secrets = [];
  const secret = (label, code, name, seenBy) => {
    if (!code && name !== "discard") return;
    const face = code ? chip(view, code) : el("span", {}, text.unknown);
    const back = el("span", {}, text.hidden);
    put(label, el("span", {}, face, back), name);
    view.secrets.push({ face, back, seenBy });
  };
  secret(text.middle, data.middle, "middle", data.middle_face_up ? "all" : "nobody");
  if (data.has_discard) secret(text.discard, data.discard, "discard", data.declarer);
  view.partnerFact = el("dd");
  list.append(el("div", { "data-fact": "partner" }, el("dt", {}, text.partner), view.partnerFact));
  const goal = data.goal ? el("p", { class: "goal" }, data.goal) : null;
  const notes = data.remarks.map((remark) => el("p", { class: "remark" }, remark));
  return section(text.h_contract, goal, list, ...notes);
}

function partnerText(view, step) {
  const { data, text } = view;
  if (data.declarer === null) return text.unknown;
  if (data.partner === -1) return data.calls_partner && !partnerKnown(step) ? text.partner_unknown_yet : text.partner_none;
  if (data.partner === null) return text.unknown;
  if (partnerKnown(step)) return fill(text.partner_known, { name: seatName(view, data.partner) });
  if (view.seat !== null && view.seat !== data.partner) return text.partner_unknown_yet;
  return fill(text.partner_hidden, { name: seatName(view, data.partner) });
}

function partnerKnown(step) {
  return step.state !== null && step.state.partner_known;
}

function buildScore(view) {
  const { text, data } = view;
  view.scoreBar = {
    side: el("div", { class: "fillside" }),
    defenders: el("div", { class: "filldef" }),
    sideText: el("span", { class: "num" }),
    defText: el("span", { class: "num" }),
    line: el("p", { class: "scoreline" }),
  };
  const s = view.scoreBar;
  const bar = el("div", { class: "bar", "aria-hidden": "true" }, s.side, s.defenders);
  if (data.target && data.total) {
    const at = Math.min(100, (data.target / data.total) * 100);
    bar.append(el("div", { class: "target", style: `left:${at}%` }));
  }
  return section(text.h_score,
    el("div", { class: "sides" },
      el("span", { class: "side" }, text.side, " ", s.sideText),
      el("span", { class: "def" }, text.defenders, " ", s.defText)),
    bar, s.line);
}

function drawScore(view, step) {
  const { data, text, scoreBar: s } = view;
  const state = step.state;
  const points = state ? state.points : [0, 0];
  const tricks = state ? state.tricks : [0, 0];
  const show = (pair, i) => (pair ? String(pair[i]) : "?");
  const meld = state ? state.meld : 0;
  s.sideText.textContent = show(points, 0);
  s.defText.textContent = show(points, 1);
  s.side.style.width = points && data.total ? `${Math.min(100, ((points[0] + meld) / data.total) * 100)}%` : "0";
  s.defenders.style.width = points && data.total ? `${Math.min(100, (points[1] / data.total) * 100)}%` : "0";
  const lines = [fill(text.tricks_line, { side: show(tricks, 0), defenders: show(tricks, 1) })];
  if (data.target) {
    if (meld) lines.push(fill(text.meld_line, { meld, sum: points ? points[0] + meld : "?" }));
    const left = points ? data.target - points[0] - meld : null;
    if (left !== null) {
      lines.push(left > 0 ? fill(text.need_line, { left, target: data.target }) : fill(text.reached_line, { target: data.target }));
    }
  }
  if (state && state.ply === data.plays.length) lines.push(data.outcome_label);
  s.line.textContent = lines.join(" · ");
}

function buildAuction(view) {
  const { data, text } = view;
  view.callNodes = [];
  if (!data.auction.length) return section(text.h_auction, el("p", {}, text.auction_absent));
  const grid = el("div", { class: "auction" });
  for (let i = 0; i < 4; i += 1) grid.append(el("span", { class: "head" }, data.seats[(data.forehand + i) % 4].short));
  let column = 0;
  data.auction.forEach((call, i) => {
    const want = call.seat === null ? column : (call.seat - data.forehand + 4) % 4;
    while (column % 4 !== want) {
      grid.append(el("span", { class: "gap", "aria-hidden": "true" }, "·"));
      column += 1;
    }
    const words = `${seatName(view, call.seat)}: ${call.label}`;
    const flag = call.flags.length ? el("span", { class: "flagtext" }, " !") : "";
    const node = button(words, call.label, () => view.go(i + 1), { class: call.flags.length ? "call flagged" : "call", "data-call": i });
    node.append(flag);
    view.callNodes.push(node);
    grid.append(node);
    column += 1;
  });
  return section(text.h_auction, grid);
}

function buildTricks(view) {
  const { data, text } = view;
  view.trickRows = [];
  view.trickPlays = [];
  view.trickSums = [];
  if (!data.tricks.length) return section(text.h_tricks, el("p", {}, text.no_plays));
  const body = el("div", { class: "tricks" });
  data.tricks.forEach((trick, t) => {
    const cards = el("span", { class: "cards" });
    trick.cards.forEach(([seat, code], i) => {
      const ply = trick.start + i;
      const flagged = data.plays[ply].flags.length > 0;
      const wins = seat !== null && seat === trick.winner;
      const place = `${seat === null ? "?" : data.seats[seat].name_long}, ${cardWords(view, code)}${wins ? `, ${text.wins}` : ""}`;
      const node = button(place, el("span", { class: "who" }, seat === null ? "?" : data.seats[seat].short), () => view.go(view.base + ply + 1),
        { class: `${wins ? "play wins" : "play"}${flagged ? " flagged" : ""}`, "data-goto": ply + 1 });
      node.append(chip(view, code));
      if (flagged) node.append(el("span", { class: "flagtext" }, "!"));
      cards.append(node);
      view.trickPlays.push(node);
    });
    const sum = trick.winner === null ? "…" : fill(text.trick_sum, { name: data.seats[trick.winner].short, points: trick.points ?? "?" });
    const total = el("span", {}, sum);
    view.trickSums.push(total);
    const row = el("div", { class: "trickrow", "data-row": t }, el("span", { class: "no" }, String(t + 1)), cards, el("span", { class: "sum" }, total));
    view.trickRows.push(row);
    body.append(row);
  });
  return section(text.h_tricks, body);
}

function buildClaims(view) {
  const { data, text } = view;
  if (!data.claims.length) return null;
  const list = el("ul", { class: "claims" });
  for (const claim of data.claims) {
    const said = fill(text.claim_said, { name: seatName(view, claim.seat), what: claim.label, trick: Math.floor(claim.ply / 4) + 1 });
    list.append(el("li", {}, button(said, said, () => view.go(view.base + claim.ply), { class: "jump" })));
  }
  return spoiler(section(text.h_claims, list));
}

function buildViolations(view) {
  const { data, text } = view;
  if (!data.violations.length) return spoiler(section(text.h_violations, el("p", { class: "clean" }, text.no_violations)));
  const list = el("ol", { class: "violations" });
  view.violationNodes = data.violations.map((v) => {
    const kind = el("span", { class: `kind ${v.severity}` }, text[`severity_${v.severity}`]);
    const where = el("span", { class: "where" }, v.place);
    const node = button(`${text[`severity_${v.severity}`]}: ${v.message}`, kind, () => view.go(v.step), { class: "violation", "data-code": v.code });
    node.append(where, el("span", { class: "what" }, v.message), el("span", { class: "cite" }, fill(text.cites, { rule: v.rule, code: v.code })));
    list.append(el("li", {}, node));
    return node;
  });
  return spoiler(section(text.h_violations, list));
}

function drawPanels(view, step) {
  const { data, text } = view;
  drawScore(view, step);
  view.partnerFact.textContent = partnerText(view, step);
  view.callNodes.forEach((node, i) => node.classList.toggle("now", step.state === null && i === step.call - 1));
  for (const { face, back, seenBy } of view.secrets) {
    const seen = view.seat === null || seenBy === "all" || seenBy === view.seat;
    face.hidden = !seen;
    back.hidden = seen;
  }
  const ply = step.state ? step.state.ply : 0;
  for (const node of view.trickPlays) node.hidden = view.seat !== null && Number(node.dataset.goto) > ply;
  view.trickSums.forEach((node, t) => { node.hidden = view.seat !== null && (t + 1) * 4 > ply; });
  const row = ply === 0 ? -1 : Math.floor((ply - 1) / 4);
  view.trickRows.forEach((node, i) => node.classList.toggle("now", i === row));
  const previous = step.state && row > 0 ? data.tricks[row - 1] : null;
  view.lastTrick.replaceChildren();
  if (previous && previous.winner !== null) {
    view.lastTrick.append(`${text.last_trick} `);
    for (const [seat, code] of previous.cards) {
      const won = seat === previous.winner ? "wins" : "";
      view.lastTrick.append(el("span", { class: `mini ${won}` }, seat === null ? "?" : data.seats[seat].short, " ", chip(view, code)), " ");
    }
    view.lastTrick.append(fill(text.trick_sum, { name: data.seats[previous.winner].short, points: previous.points ?? "?" }));
  }
  const here = view.flagsAt(view.index);
  view.here.replaceChildren(...here.map((v) => el("p", { class: `alert ${v.severity}` }, el("strong", {}, `${text[`severity_${v.severity}`]}: `), v.message)));
}
