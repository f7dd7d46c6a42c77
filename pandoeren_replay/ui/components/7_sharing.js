// Out of the page: the link, the notation, a picture of the table, a sheet of paper.
const SUIT_SIGNS = "♠♥♦♣";
const DRAWN = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-weight"];

function saveFile(view, blob, ending) {
  const url = URL.createObjectURL(blob);
  const name = `pandoeren-${view.data.key}-${view.steps[view.index].code}.${ending}`;
  const anchor = el("a", { download: name });
  anchor.href = url;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
  view.status.textContent = fill(view.text.saved, { name });
}

async function copyText(view, text, done) {
  try {
    await navigator.clipboard.writeText(text);
    view.status.textContent = done;
    view.linkBox.hidden = true;
  } catch {
    // no clipboard (plain http, or not allowed): show the text so that it can be copied by hand
    view.linkBox.hidden = false;
    view.linkBox.value = text;
    view.linkBox.focus();
    view.linkBox.select();
  }
}

/** The table as a picture of its own: colours written out, title above, sentence below. */
function pictureOf(view) {
  const { l, data } = view;
  const copy = view.svgRoot.cloneNode(true);
  const drawn = view.svgRoot.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((node, i) => {
    const style = getComputedStyle(drawn[i]);
    for (const name of DRAWN) {
      const value = style.getPropertyValue(name);
      if (value && value !== "none" && value !== "normal" && value !== "auto") node.setAttribute(name, value);
    }
    if (style.getPropertyValue("fill") === "none") node.setAttribute("fill", "none");
    // Elsewhere another font may stand in for ours: texts keep the width that they have here.
    if (node.tagName === "text" && !node.hasAttribute("textLength")) node.setAttribute("textLength", drawn[i].getComputedTextLength());
    node.removeAttribute("class");
  });
  const head = 2 * (l.font + 10);
  const foot = l.font * 2 + 16;
  const high = head + l.height + foot;
  const root = svg("svg", { xmlns: SVG_NS, viewBox: `0 0 ${l.width} ${high}`, width: l.width, height: high, "font-family": `${view.fontFamily}, Arial, sans-serif` });
  const label = (words, y, weight) => {
    const node = svg("text", { x: 8, y, "font-size": l.font, "font-weight": weight, fill: "#15181c" });
    node.setAttribute("textLength", fitText(view, node, words, l.font, l.width - 16));
    root.append(node);
  };
  root.append(svg("title", {}, data.title), svg("rect", { width: l.width, height: high, fill: "#ffffff" }));
  label(view.quiz ? data.title : `${data.title} · ${data.result_label}`, l.font + 4, 700);
  label(data.line ? data.line.label : data.subtitle, 2 * l.font + 12, 400);
  root.append(svg("rect", { y: head, width: l.width, height: l.height, rx: 14, fill: getComputedStyle(view.svgRoot).backgroundColor }));
  const table = svg("g", { transform: `translate(0,${head})` });
  table.append(...copy.childNodes);
  root.append(table);
  label(sentence(view, view.steps[view.index]), head + l.height + l.font + 6, 400);
  label([data.contract_label, trumpWords(view)].filter(Boolean).join(" · "), head + l.height + 2 * l.font + 10, 400);
  return root;
}

function trumpWords(view) {
  const { data, text } = view;
  if (data.trump === null) return "";
  return data.trump === 4 ? text.no_trump : `${text.trump}: ${text.suits[data.trump]}`;
}

function svgBlob(view) {
  return new Blob([new XMLSerializer().serializeToString(pictureOf(view))], { type: "image/svg+xml" });
}

/** The same picture in pixels, twice as fine as on the screen. */
function savePng(view) {
  const url = URL.createObjectURL(svgBlob(view));
  const image = new Image();
  const failed = () => { view.status.textContent = view.text.picture_failed; };
  image.onerror = failed;
  image.onload = () => {
    const canvas = el("canvas", { width: image.width * 2, height: image.height * 2 });
    const pen = canvas.getContext("2d");
    pen.scale(2, 2);
    pen.drawImage(image, 0, 0);
    canvas.toBlob((blob) => (blob ? saveFile(view, blob, "png") : failed()), "image/png");
    URL.revokeObjectURL(url);
  };
  image.src = url;
}

function buildSharing(view) {
  const { text } = view;
  const act = (label, name, run) => button(label, label, run, { "data-do": name });
  view.linkBox = el("textarea", { readonly: true, hidden: true, rows: 3, "aria-label": text.share, class: "linkbox" });
  const ways = el("div", { class: "more" },
    button(text.b_link, text.copy_link, () => copyLink(view), { "data-do": "link" }),
    act(text.copy_phn, "copy-phn", () => copyText(view, view.data.phn, text.phn_copied)),
    act(text.save_phn, "save-phn", () => saveFile(view, new Blob([view.data.phn], { type: "text/plain" }), "phn")),
    act(text.save_svg, "save-svg", () => saveFile(view, svgBlob(view), "svg")),
    act(text.save_png, "save-png", () => savePng(view)),
    act(text.print, "print", () => window.print()));
  return el("div", {}, el("details", { class: "sharing" }, el("summary", {}, text.share), ways), view.linkBox);
}

// -- on paper ----------------------------------------------------------------------------------

function paperHand(view, seat) {
  const { data } = view;
  const hand = el("div", { class: `seat seat${seat}` }, el("strong", {}, data.seats[seat].label));
  for (let suit = 0; suit < 4; suit += 1) {
    const ranks = data.dealt[seat].filter((c) => suitOf(c) === suit).map((c) => rankText(view, c)).join(" ");
    hand.append(el("div", { class: "suitline" }, suitIcon(suit, "1em"), ` ${ranks || "–"}`));
  }
  return hand;
}

function paperFacts(view) {
  const { data, text } = view;
  const rows = [[text.contract, data.contract_label], [text.trump, trumpWords(view).replace(`${text.trump}: `, "")],
    [text.called, data.called && chip(view, data.called)], [text.middle, data.middle && chip(view, data.middle)],
    [text.discard, data.discard && chip(view, data.discard)],
    [text.partner, data.partner >= 0 && data.partner !== null ? seatName(view, data.partner) : text.partner_none]];
  const list = el("dl", { class: "facts" });
  for (const [label, value] of rows) if (value) list.append(el("div", {}, el("dt", {}, label), el("dd", {}, value)));
  return list;
}

function paperTricks(view) {
  const { data, text } = view;
  const body = data.tricks.map((trick, t) => el("tr", {}, el("td", {}, String(t + 1)),
    ...trick.cards.map(([seat, code]) => el("td", { class: seat !== null && seat === trick.winner ? "wins" : "" },
      `${seat === null ? "?" : data.seats[seat].short} `, suitIcon(suitOf(code), "0.9em"), rankText(view, code))),
    el("td", {}, trick.winner === null ? "" : fill(text.trick_sum, { name: data.seats[trick.winner].short, points: trick.points ?? "?" }))));
  return el("table", {}, el("tbody", {}, ...body));
}

/** One sheet of A4 with all of the hand; only there while it is being printed. */
function drawPaper(view) {
  const { data, text } = view;
  const calls = data.auction.map((c) => `${data.seats[c.seat ?? 0].short} ${c.label}`).join(" · ");
  const part = (title, ...inside) => el("div", { class: "part" }, el("h3", {}, title), ...inside);
  const marks = data.notes.marks.filter((m) => m.kind !== "star");
  view.paper.replaceChildren(
    el("h2", {}, data.title, " · ", data.result_label, data.simulated ? ` · ${text.simulated}` : ""), el("p", {}, data.subtitle),
    data.line ? el("p", {}, data.line.label) : "",
    el("div", { class: "compass" }, ...[0, 1, 2, 3].map((s) => paperHand(view, s)), el("div", { class: "mid" }, data.middle ? chip(view, data.middle) : "")),
    part(text.h_contract, paperFacts(view), el("p", {}, data.outcome_label)),
    calls ? part(text.h_auction, el("p", {}, calls)) : "",
    data.tricks.length ? part(text.h_tricks, paperTricks(view)) : "",
    data.claims.length ? part(text.h_claims, el("p", {}, data.claims.map((c) => `${seatName(view, c.seat)}: ${c.label}`).join(" · "))) : "",
    marks.length ? part(text.h_notes, ...marks.map((m) => el("p", {}, `${m.where}: ${m.text} (${m.who || text.note_somebody})`))) : "");
}
