// The table: four hands round a trick, in SVG, laid out in real pixels so that text never shrinks.

/** Sizes for a table `width` wide that leaves its buttons in sight of `room` pixels of height. */
function layout(width, room) {
  const narrow = width < 560;
  const pad = narrow ? 4 : 14;
  const font = narrow ? 16 : 18;
  const line = font + 12;
  // Three cards and seven steps of a fan stand one above the other, with four lines of names.
  const tall = Math.max(290, Math.min(560, room - 2 * pad - 4 * line - 16)) / 5.5 / 1.42;
  const cw = narrow ? Math.max(36, Math.min(44, width / 8.4)) : Math.min(64, width / 10.5, tall);
  const ch = Math.round(cw * 1.42);
  const vstep = narrow ? 25 : Math.round(Math.max(cw * 0.42 + 7, ch * 0.34));
  const column = 7 * vstep + ch;
  const top = pad + line + ch + 8;
  const middle = line * 2 + column;
  const bottom = top + middle + 8;
  const height = bottom + line + ch + pad;
  const tw = Math.round(cw * 1.18);
  const th = Math.round(tw * 1.42);
  const spread = { x: Math.round(tw * 1.12), y: Math.round(th * 0.6) };
  const centre = { x: width / 2, y: top + line + (middle - line) / 2 };
  return { width, narrow, cw, ch, pad, font, line, vstep, column, top, bottom, height, tw, th, spread, centre };
}

function drawCard(view, code, x, y, w, h, beside, classes = "") {
  const suit = suitOf(code);
  const size = beside ? w * 0.42 : w * 0.46;
  const rank = rankText(view, code);
  const g = svg("g", { class: `card s${suit} ${classes}`, "data-card": code, transform: `translate(${x},${y})` });
  g.append(svg("rect", { class: "face", width: w, height: h, rx: w * 0.1 }));
  g.append(svg("text", { x: w * 0.09, y: size * 0.98, "font-size": size, class: "rank" , textLength: rank.length > 1 ? size * 1.02 : null, lengthAdjust: "spacingAndGlyphs" }, rank));
  const icon = size * 0.78;
  const at = beside
    ? `translate(${w - icon - w * 0.08},${size * 0.27})`
    : `translate(${w * 0.09},${size * 1.15})`;
  g.append(svg("path", { class: "suit", d: SUIT_PATHS[suit], transform: `${at} scale(${icon / 100})` }));
  if (h > 100 || classes.includes("big")) {
    const pip = w * 0.5;
    g.append(svg("path", { class: "suit", d: SUIT_PATHS[suit],
      transform: `translate(${w - pip - w * 0.12},${h - pip - w * 0.12}) scale(${pip / 100})` }));
  }
  return g;
}

function drawBack(x, y, w, h, unknown) {
  const g = svg("g", { class: "card back", transform: `translate(${x},${y})` });
  g.append(svg("rect", { class: "face", width: w, height: h, rx: w * 0.1 }));
  g.append(svg("rect", { class: "inner", x: 4, y: 4, width: w - 8, height: h - 8, rx: w * 0.06 }));
  if (unknown) g.append(svg("text", { x: w * 0.14, y: w * 0.5, "font-size": w * 0.44, class: "rank" }, "?"));
  return g;
}

function drawMark(w, severity) {
  const r = Math.max(9, w * 0.19);
  const g = svg("g", { class: `mark ${severity}`, transform: `translate(${w - r * 0.6},${r * 0.6})` });
  g.append(svg("circle", { r }));
  g.append(svg("text", { y: r * 0.55, "font-size": r * 1.6, "text-anchor": "middle" }, "!"));
  return g;
}

// Widths come from a canvas: asking the SVG for them would force a layout at every step.
const RULER = document.createElement("canvas").getContext("2d");

function textWidth(view, text, size) {
  RULER.font = `600 ${size}px ${view.fontFamily}`;
  return RULER.measureText(text).width;
}

/** Text cut with an ellipsis where it would not fit; the whole stands in a tooltip. */
function fitText(view, node, text, size, room) {
  let shown = text;
  while (shown.length > 1 && textWidth(view, shown, size) > room) {
    shown = `${shown.replace(/…$/, "").slice(0, -1).trimEnd()}…`;
  }
  node.textContent = shown;
  node.append(svg("title", {}, text));
  return textWidth(view, shown, size);
}

function seatBox(l, seat) {
  const row = (n) => Math.min(l.cw + 3, (l.width - 2 * l.pad - l.cw) / Math.max(1, n - 1));
  const col = (n) => Math.min(l.vstep, (l.column - l.ch) / Math.max(1, n - 1));
  const start = (n) => (l.width - (row(n) * (n - 1) + l.cw)) / 2;
  const side = l.top + 2 * l.line;
  if (seat === 0) return { name: l.pad, at: (i, n) => [start(n) + i * row(n), l.pad + l.line], beside: false };
  if (seat === 2) return { name: l.bottom, at: (i, n) => [start(n) + i * row(n), l.bottom + l.line], beside: false };
  const x = seat === 3 ? l.pad : l.width - l.pad - l.cw;
  return { name: l.top, at: (i, n) => [x, side + i * col(n)], beside: true };
}

/** What the chosen seat could see at this step: whole hands, or only card backs. */
function seesHand(view, step, seat) {
  if (view.seat === null || view.seat === seat) return true;
  return step.state !== null && step.state.exposed.includes(seat);
}

function drawHands(view, step) {
  const { l, data } = view;
  const dealt = step.state === null;
  const hands = dealt ? data.dealt : data.playing;
  const group = svg("g", { class: "hands" });
  view.handCards = [];
  for (let seat = 0; seat < 4; seat += 1) {
    const box = seatBox(l, seat);
    const cards = hands[seat];
    const n = Math.max(8, cards.length);
    const seen = seesHand(view, step, seat);
    for (let i = 0; i < n; i += 1) {
      const [x, y] = box.at(i, n);
      const code = cards[i];
      const face = code && seen;
      const node = face ? drawCard(view, code, x, y, l.cw, l.ch, box.beside) : drawBack(x, y, l.cw, l.ch, seen);
      node.setAttribute("data-seat", "NESW"[seat]);
      group.append(node);
      view.handCards.push({ node, seat, code: face ? code : null, index: i, marked: false, x, y });
    }
  }
  view.svgParts.hands.replaceChildren(group);
}

/** Fades what has been played; hands that cannot be seen lose as many backs as cards played. */
function fadeHands(view, step) {
  const { l, data } = view;
  const state = step.state;
  const played = [0, 0, 0, 0];
  const marks = new Map();
  if (state) {
    for (let i = 0; i < state.ply; i += 1) {
      const play = data.plays[i];
      if (play.seat !== null) played[play.seat] += 1;
      if (play.flags.length) marks.set(`${play.seat}${play.card}`, data.violations[play.flags[0]].severity);
    }
  }
  const held = state ? state.hands.map((cards) => new Set(cards)) : null;
  for (const item of view.handCards) {
    const gone = state !== null && (item.code ? !held[item.seat].has(item.code) : goneBack(data, state, item, played, view));
    item.node.classList.toggle("played", gone);
    const severity = item.code ? marks.get(`${item.seat}${item.code}`) : undefined;
    if (Boolean(severity) !== item.marked) {
      item.marked = Boolean(severity);
      if (severity) item.node.append(drawMark(l.cw, severity));
      else item.node.lastChild.remove();
    }
  }
}

function goneBack(data, state, item, played, view) {
  if (!seesHand(view, { state }, item.seat)) return item.index >= 8 - played[item.seat];
  const known = data.playing[item.seat];
  const knownGone = known.filter((c) => !state.hands[item.seat].includes(c)).length;
  return item.index - known.length < played[item.seat] - knownGone;
}

function roleOf(view, step, seat) {
  const { data, text } = view;
  if (step.state === null && step.call < data.auction.length) return null;
  if (seat === data.declarer) return { text: text.role_declarer, kind: "declarer" };
  if (seat !== data.partner) return null;
  const known = step.state !== null && step.state.partner_known;
  if (known) return { text: text.role_partner, kind: "partner" };
  if (view.seat !== null && view.seat !== seat) return null;
  if (step.state === null) return null;
  return { text: text.role_partner_hidden, kind: "hidden" };
}

function pill(view, x, y, text, kind, size, anchor = "start") {
  const w = textWidth(view, text, size) + 16;
  const left = anchor === "start" ? x : anchor === "end" ? x - w : x - w / 2;
  const g = svg("g", { class: `pill ${kind}`, transform: `translate(${left},${y})` });
  g.append(svg("rect", { x: 0, y: -size * 0.78, width: w, height: size * 1.56, rx: size * 0.5 }));
  g.append(svg("text", { x: 8, y: size * 0.36, "font-size": size }, text));
  return { g, width: w };
}

function drawNames(view, step) {
  const { l, data } = view;
  const group = svg("g", { class: "names" });
  view.svgParts.names.replaceChildren(group);
  for (let seat = 0; seat < 4; seat += 1) {
    const box = seatBox(l, seat);
    const toPlay = step.state ? step.state.to_play === seat : step.to_call === seat;
    const dealer = data.dealer === seat ? ` · ${view.text.dealer_short}` : "";
    const name = `${toPlay ? "▶ " : ""}${data.seats[seat].label}${dealer}`;
    const role = roleOf(view, step, seat);
    const y = box.name + l.line / 2;
    const label = svg("text", { y: y + l.font * 0.36, "font-size": l.font, class: toPlay ? "name turn" : "name", "data-name": "NESW"[seat] });
    group.append(label);
    const small = l.font - 2;
    if (seat % 2 === 1) {
      const right = seat === 1;
      const x = right ? l.width - l.pad : l.pad;
      fitText(view, label, name, l.font, l.width / 2 - l.pad - 6);
      label.setAttribute("x", x);
      label.setAttribute("text-anchor", right ? "end" : "start");
      if (role) group.append(pill(view, x, y + l.line - 3, role.text, role.kind, small, right ? "end" : "start").g);
      continue;
    }
    const roleWidth = role ? textWidth(view, role.text, small) + 24 : 0;
    const w = fitText(view, label, name, l.font, l.width - 2 * l.pad - roleWidth);
    const x = (l.width - w - roleWidth) / 2;
    label.setAttribute("x", x);
    if (role) group.append(pill(view, x + w + 8, y, role.text, role.kind, small).g);
  }
}

function trickPlace(l, seat, w, h, i = 0) {
  // Nobody knows who played it: such cards lie in a row in the middle.
  if (seat === null) return [l.centre.x + (i - 1.5) * w * 0.6 - w / 2, l.centre.y - h / 2];
  const dx = [0, 1, 0, -1][seat] * l.spread.x;
  const dy = [-1, 0, 1, 0][seat] * l.spread.y;
  return [l.centre.x + dx - w / 2, l.centre.y + dy - h / 2];
}

function drawTrick(view, step) {
  const { l, data } = view;
  const group = svg("g", { class: "trick", "data-trick": "" });
  const state = step.state;
  if (!state) {
    drawAuctionCentre(view, step, group);
  } else if (state.ply === 0) {
    drawDeclaration(view, group);
  } else {
    const done = state.trick.length === 0;
    const cards = done ? state.last_trick : state.trick;
    const first = state.ply - cards.length;
    const winner = done ? data.tricks[state.ply / 4 - 1].winner : null;
    cards.forEach(([seat, code], i) => {
      const [x, y] = trickPlace(l, seat, l.tw, l.th, i);
      const wins = done && winner !== null && seat === winner ? "wins" : "";
      const last = i === cards.length - 1 ? "new" : "";
      const node = drawCard(view, code, x, y, l.tw, l.th, false, `big ${wins} ${last}`);
      node.setAttribute("data-seat", seat === null ? "?" : "NESW"[seat]);
      const order = svg("g", { class: "order", transform: `translate(${l.narrow ? 9 : 12},${l.th - (l.narrow ? 9 : 12)})` });
      order.append(svg("circle", { r: l.narrow ? 7.5 : 9.5 }));
      order.append(svg("text", { y: l.narrow ? 4 : 5, "font-size": l.narrow ? 11 : 14, "text-anchor": "middle" }, String(i + 1)));
      node.append(order);
      const flags = data.plays[first + i].flags;
      if (flags.length) {
        node.classList.add("flagged");
        node.append(drawMark(l.tw, data.violations[flags[0]].severity));
      }
      group.append(node);
    });
  }
  view.svgParts.trick.replaceChildren(group);
  drawBubbles(view, step);
}

function drawAuctionCentre(view, step, group) {
  const { l, data } = view;
  if (data.middle_shown) {
    const [x, y] = [l.centre.x - l.tw / 2, l.centre.y - l.th / 2];
    if (data.middle && data.middle_face_up) group.append(drawCard(view, data.middle, x, y, l.tw, l.th, false, "big middle"));
    else group.append(drawBack(x, y, l.tw, l.th, !data.middle_known_back));
  }
  const latest = new Map();
  data.auction.slice(0, step.call).forEach((call, i) => latest.set(call.seat, { call, last: i === step.call - 1 }));
  for (const [seat, { call, last }] of latest) {
    if (seat === null) continue;
    const spot = [[0, -1.02], [1.35, 0], [0, 1.02], [-1.35, 0]][seat];
    const kind = `call ${last ? "last" : ""} ${call.flags.length ? "flagged" : ""}`;
    group.append(pill(view, l.centre.x + spot[0] * l.tw, l.centre.y + spot[1] * l.th, call.label, kind, l.font, "middle").g);
  }
}

function drawDeclaration(view, group) {
  const { l, data, text } = view;
  const lines = [data.contract_label];
  if (data.trump === 4) lines.push(text.no_trump);
  const y0 = l.centre.y - 30;
  lines.forEach((line, i) => {
    group.append(svg("text", { class: "say", x: l.centre.x, y: y0 + i * (l.font + 12), "text-anchor": "middle", "font-size": l.font + 4 }, line));
  });
  if (data.trump !== null && data.trump < 4) {
    const size = l.tw;
    group.append(svg("rect", { class: "trumpbox", x: l.centre.x - size * 0.65, y: y0 + 14, width: size * 1.3, height: size * 1.3, rx: 10 }));
    group.append(svg("path", { class: `suit s${data.trump}`, d: SUIT_PATHS[data.trump], transform: `translate(${l.centre.x - size / 2},${y0 + 14 + size * 0.15}) scale(${size / 100})` }));
  }
}

function drawBubbles(view, step) {
  const { l, data } = view;
  const layer = view.svgParts.bubbles;
  layer.replaceChildren();
  if (!step.state) return;
  const ply = step.state.ply;
  const from = ply === 0 ? 0 : Math.floor((ply - 1) / 4) * 4;
  const seen = [0, 0, 0, 0];
  for (const claim of data.claims) {
    if (claim.ply > ply || claim.ply < from || claim.seat === null) continue;
    if (claim.ply < ply && claim.ply === from && from > 0) continue;
    const k = seen[claim.seat];
    seen[claim.seat] += 1;
    const shift = k * (l.font * 1.7);
    const row = [
      [l.centre.x + l.tw / 2 + 6, l.centre.y - l.spread.y - l.th * 0.3 - shift, "start"],
      [l.width - l.pad - l.cw - 8, l.centre.y - l.th * 0.5 - 18 - shift, "end"],
      [l.centre.x + l.tw / 2 + 6, l.centre.y + l.spread.y + l.th * 0.35 + shift, "start"],
      [l.pad + l.cw + 8, l.centre.y - l.th * 0.5 - 18 - shift, "start"],
    ][claim.seat];
    const kind = `bubble ${claim.flags.length ? "flagged" : ""}`;
    layer.append(pill(view, row[0], row[1], claim.label, kind, l.font - 1, row[2]).g);
  }
}

function drawTable(view, step) {
  const key = `${view.l.width}|${step.state === null}|${view.seat}|${step.state ? step.state.exposed.join("") : ""}`;
  if (key !== view.handsKey) {
    view.handsKey = key;
    drawHands(view, step);
  }
  fadeHands(view, step);
  drawNames(view, step);
  drawTrick(view, step);
  drawValues(view, step);
}

function resizeTable(view, width) {
  view.l = layout(width, window.innerHeight - 300);
  const root = view.svgRoot;
  root.setAttribute("viewBox", `0 0 ${width} ${view.l.height}`);
  root.setAttribute("width", width);
  root.setAttribute("height", view.l.height);
  view.handsKey = null;
}
