// Entering a hand by tapping. The draft lives in the browser, so that every tap shows at once and
// a reload loses nothing; only a finished hand goes to Python, which judges and stores it.
const ENTRIES = new WeakMap();
const DRAFT = "pandoeren.draft";
const DATES = "\\d{1,2}[\\-\\/.]\\d{1,2}[\\-\\/.]\\d{4}|\\d{4}-\\d{1,2}-\\d{1,2}";

function newDraftNumber() {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return [...bytes].map((b) => b.toString(16).padStart(2, "0")).join("");
}

function blankSetup(data) {
  return {
    kind: "enter", draft: newDraftNumber(), mode: "play", rules: data.first_rules, dealer: null,
    date: data.today, session: data.today, hand: "1", names: ["", "", "", ""], started: false,
  };
}

/** The next hand at the same table: names stay, the deal passes on, the number goes up. */
function followingSetup(setup) {
  const number = /^\d+$/.test(setup.hand) ? String(Number(setup.hand) + 1) : setup.hand;
  const dealer = setup.dealer === null ? null : (setup.dealer + 1) % 4;
  return { ...setup, draft: newDraftNumber(), hand: number, dealer, started: false };
}

function keep(view) {
  if (view.data.kind === "playout") return; // Python has it, by the address
  try {
    sessionStorage.setItem(DRAFT + view.data.kind, JSON.stringify({ setup: view.setup, actions: view.actions }));
  } catch {
    // Storage is full or switched off: the draft then lives as long as the page.
  }
}

function kept(data) {
  if (data.kind === "playout") return { setup: blankSetup(data), actions: [] };
  try {
    const found = JSON.parse(sessionStorage.getItem(DRAFT + data.kind) ?? "null");
    if (found && data.rules[found.setup?.rules] && Array.isArray(found.actions)) return found;
  } catch {
    // What is not ours to read is left alone.
  }
  return { setup: blankSetup(data), actions: [] };
}

function refold(view) {
  view.setup.kind = view.data.kind;
  view.game = foldHand(view.setup, view.actions, view.data.rules[view.setup.rules]);
}

function act(view, ...action) {
  view.actions.push(action);
  moved(view);
}

function undo(view) {
  if (view.actions.length) view.actions.pop();
  else if (view.setup.started) view.setup.started = false;
  moved(view);
}

function moved(view) {
  view.doubt = null;
  view.claiming = null;
  refold(view);
  keep(view);
  drawEntry(view);
  report(view);
}

/** A finished hand goes to Python, one taken up again is taken back; a game played out goes always. */
function report(view) {
  const done = view.game.asks === "done";
  const played = view.data.kind === "playout" ? JSON.stringify({ stamp: view.stamp, plays: view.game.plays.map((p) => p.card) }) : null;
  const text = played ?? (done ? JSON.stringify(recordOf(view.setup, view.game)) : null);
  if (text === view.sent) return;
  view.sent = text;
  view.component.setStateValue("record", text);
}

// -- pieces ------------------------------------------------------------------------------------

function who(view, seat) {
  const name = (view.setup.names[seat] ?? "").trim();
  return name ? `${name} (${view.data.seats[seat]})` : view.data.seats[seat];
}

function press(view, label, action, attributes = {}) {
  const node = el("button", { type: "button", ...attributes }, label);
  node.addEventListener("click", action);
  return node;
}

function cardKey(view, code, action, { state = "", label = "" } = {}) {
  const words = label ? `${cardWords(view, code)}: ${label}` : cardWords(view, code);
  const node = el("button", { type: "button", class: `key s${suitOf(code)} ${state}`, "data-card": code, "aria-label": words, disabled: action === null },
    el("span", { class: "face", "aria-hidden": "true" }, el("b", {}, rankText(view, code)), suitIcon(suitOf(code), "0.9em"), label ? el("i", {}, label) : null));
  if (action) node.addEventListener("click", action);
  return node;
}

/** All cards by suit; `of` tells each card's action, state and label. */
function cardKeys(view, of) {
  const rows = [0, 1, 2, 3].map((suit) => el("div", { class: "suitrow", role: "group", "aria-label": view.text.suits[suit] },
    ...DECK.filter((code) => suitOf(code) === suit).map((code) => {
      const { action = null, ...rest } = of(code);
      return cardKey(view, code, action, rest);
    })));
  return el("div", { class: "keys" }, ...rows);
}

function seatKeys(view, action, except = null) {
  return el("div", { class: "seats" }, ...[0, 1, 2, 3].filter((s) => s !== except).map((seat) =>
    press(view, who(view, seat), () => action(seat), { "data-seat": "NESW"[seat] })));
}

function prompt(view, text, note = "") {
  return el("p", { class: "ask", role: "status" }, text, note ? el("span", { class: "note" }, note) : null);
}

function choice(view, label, options, value, onChange, attributes = {}) {
  const select = el("select", attributes, ...options.map(([v, shown]) => el("option", { value: v, selected: v === value }, shown)));
  select.addEventListener("change", () => onChange(select.value));
  return el("label", { class: "field" }, el("span", {}, label), select);
}

function field(view, label, value, onInput, attributes = {}) {
  const input = el("input", { value, ...attributes });
  input.addEventListener("input", () => onInput(input.value));
  return el("label", { class: "field" }, el("span", {}, label), input);
}

// -- panels: one for each thing that is asked ----------------------------------------------------

const PANELS = {
  setup(view) {
    const { setup, words, data } = view;
    const set = (name) => (value) => {
      setup[name] = value;
      keep(view);
    };
    const modes = el("div", { class: "modes", role: "group", "aria-label": words.mode },
      ...["play", "deal", "score"].map((mode) => press(view, words[`mode_${mode}`], () => {
        setup.mode = mode;
        view.actions = [];
        moved(view);
      }, { class: mode === setup.mode ? "main" : "", "aria-pressed": String(mode === setup.mode), "data-mode": mode })));
    const dealers = el("div", { class: "seats" }, ...[0, 1, 2, 3].map((seat) => press(view, who(view, seat), () => {
      setup.dealer = seat;
      setup.started = true;
      moved(view);
    }, { "data-dealer": "NESW"[seat], class: seat === setup.dealer ? "main" : "" })));
    const list = el("datalist", { id: "known" }, ...data.players.map((name) => el("option", { value: name })));
    const score = setup.mode === "score";
    return [
      modes,
      el("p", { class: "note" }, words[`explain_${setup.mode}`]),
      el("div", { class: "fields" },
        choice(view, words.rules, data.rule_names, setup.rules, (value) => {
          setup.rules = value;
          view.actions = [];
          moved(view);
        }, { "data-field": "rules" }),
        field(view, words.date, setup.date, (value) => {
          if (setup.session === setup.date) setup.session = value;
          set("date")(value);
        }, {
          // As text in the viewer's order: a browser's own field follows the language of the browser.
          placeholder: data.date_hint, pattern: DATES, maxlength: 10, "data-field": "date",
        }),
        field(view, words.session, setup.session, set("session"), { maxlength: 80, "data-field": "session" }),
        field(view, words.hand, setup.hand, set("hand"), { maxlength: 20, inputmode: "numeric", "data-field": "hand" }),
        ...[0, 1, 2, 3].map((seat) => field(view, data.seats[seat], setup.names[seat], (value) => {
          setup.names[seat] = value;
          keep(view);
        }, { maxlength: 80, list: "known", autocomplete: "off", "data-name": "NESW"[seat] }))),
      list,
      score
        ? press(view, words.start, () => { setup.started = true; moved(view); }, { class: "main", "data-do": "start" })
        : el("div", {}, prompt(view, words.ask_dealer), dealers),
    ];
  },

  deal(view) {
    const { game, words } = view;
    const full = [0, 1, 2, 3].filter((s) => game.dealt[s].length >= 8);
    const middle = game.middle === null && full.length >= 3;
    const chosen = view.dealTo;
    const to = middle || chosen === MIDDLE_OWNER ? MIDDLE_OWNER : chosen !== null && chosen !== undefined && game.dealt[chosen].length < 8 ? chosen : nextDealt(game);
    const seats = el("div", { class: "seats" }, ...[0, 1, 2, 3].map((seat) =>
      press(view, `${who(view, seat)} ${game.dealt[seat].length}/8`, () => { view.dealTo = seat; drawEntry(view); },
        { class: seat === to ? "main" : "", disabled: game.dealt[seat].length >= 8, "aria-pressed": String(seat === to), "data-seat": "NESW"[seat] })),
      press(view, `${words.middle} ${game.middle ? 1 : 0}/1`, () => { view.dealTo = MIDDLE_OWNER; drawEntry(view); },
        { class: to === MIDDLE_OWNER ? "main" : "", disabled: game.middle !== null, "aria-pressed": String(to === MIDDLE_OWNER), "data-seat": "M" }));
    const letters = view.data.letters;
    const text = to === MIDDLE_OWNER ? words.ask_middle : fill(words.ask_deal, { name: who(view, to), n: 8 - game.dealt[to].length });
    return [prompt(view, text), seats, cardKeys(view, (code) => {
      const owner = game.owner.get(code);
      if (owner !== undefined) return { action: null, state: "gone", label: owner === MIDDLE_OWNER ? words.middle_short : letters[owner] };
      return { action: () => {
        if (to === MIDDLE_OWNER) view.dealTo = null;
        act(view, "deal", code, to);
      } };
    })];
  },

  auction(view) {
    const { game, words, setup } = view;
    const seat = (setup.dealer + 1 + game.rules.auction[game.step][0]) % 4;
    const last = game.bid ? game.rules.calls.indexOf(game.bid) : -1;
    const higher = game.rules.calls.slice(last + 1);
    const shown = view.allBids ? higher : higher.slice(0, 11);
    const bids = el("div", { class: "bids" },
      press(view, words.pass, () => act(view, "call", "-"), { class: "main", "data-call": "-" }),
      ...shown.map((c) => press(view, c.label, () => act(view, "call", c.text), { "data-call": c.text })),
      shown.length < higher.length ? press(view, words.more_bids, () => { view.allBids = true; drawEntry(view); }, { "data-do": "more" }) : null);
    const rest = [prompt(view, fill(words.ask_call, { name: who(view, seat) })), bids];
    if (!game.calls.length) rest.push(press(view, words.skip_auction, () => act(view, "skip"), { "data-do": "skip" }));
    return rest;
  },

  declarer(view) {
    return [prompt(view, view.words.ask_declarer), seatKeys(view, (seat) => act(view, "declarer", seat))];
  },

  contract(view) {
    return [prompt(view, view.words.ask_contract), el("div", { class: "bids" },
      ...view.game.rules.calls.map((c) => press(view, c.label, () => act(view, "contract", c.text), { "data-call": c.text })))];
  },

  partner(view) {
    const { game, words } = view;
    return [prompt(view, fill(words.ask_partner, { name: who(view, game.declarer) })),
      seatKeys(view, (seat) => act(view, "partner", seat), game.declarer),
      press(view, words.alone, () => act(view, "partner", -1), { "data-do": "alone" })];
  },

  outcome(view) {
    const { words } = view;
    const options = ["made", "lost", ...(view.setup.mode === "score" ? [] : ["unknown"])];
    return [prompt(view, fill(words.ask_outcome, { name: who(view, view.game.declarer) })),
      el("div", { class: "seats" }, ...options.map((o) => press(view, words[`outcome_${o}`], () => act(view, "outcome", o), { "data-outcome": o })))];
  },

  discard(view) {
    const { game, words } = view;
    const nine = new Set(heldBy(game, game.declarer));
    return [prompt(view, fill(words.ask_discard, { name: who(view, game.declarer) })),
      cardKeys(view, (code) => nine.has(code) ? { action: () => act(view, "discard", code) } : { state: "gone" })];
  },

  trump(view) {
    const { words, text } = view;
    return [prompt(view, fill(words.ask_trump, { name: who(view, view.game.declarer) })),
      el("div", { class: "seats" }, ...[0, 1, 2, 3].map((suit) => {
        const node = press(view, suitIcon(suit, "1.3em"), () => act(view, "trump", suit), { class: `suitkey s${suit}`, "data-trump": "SHDC"[suit] });
        node.append(el("span", {}, text.suits[suit]));
        return node;
      }))];
  },

  called(view) {
    const { game, words } = view;
    const tiers = contractOf(game).call[game.trump] ?? [[], []];
    const own = new Set(view.setup.mode === "deal" ? [...heldBy(game, game.declarer), game.discard] : []);
    const cards = (numbers) => numbers.map((n) => DECK[n]).filter((code) => !own.has(code));
    const [first, second] = tiers.map(cards);
    const known = view.setup.mode === "deal";
    const tell = (codes) => el("div", { class: "keys" }, el("div", { class: "suitrow" },
      ...codes.map((code) => cardKey(view, code, () => act(view, "called", code)))));
    const out = [prompt(view, fill(words.ask_called, { name: who(view, game.declarer) }))];
    if (first.length) out.push(tell(first));
    if (second.length && (!known || !first.length)) out.push(el("p", { class: "note" }, words.call_second), tell(second));
    out.push(press(view, words.alone, () => act(view, "called", "-"), { "data-do": "alone" }));
    return out;
  },

  middle(view) {
    const { words } = view;
    return [prompt(view, words.ask_middle_played, words.ask_middle_why),
      press(view, words.unknown, () => act(view, "middle", "?"), { "data-do": "unknown" }),
      cardKeys(view, (code) => ({ action: () => act(view, "middle", code) }))];
  },

  play(view) {
    const { game, words } = view;
    const seat = game.toPlay;
    const known = view.setup.mode === "deal";
    const gone = new Set(game.plays.map((p) => p.card));
    const held = new Set(known ? heldBy(game, seat) : DECK.filter((code) => !gone.has(code)));
    const allowed = known ? allowedCards(game, [...held]) : held;
    const trick = fill(words.ask_play, { name: who(view, seat), n: Math.floor(game.plays.length / 4) + 1 });
    const values = view.data.values && view.data.values.ply === game.plays.length ? view.data.values : null;
    const keys = cardKeys(view, (code) => {
      if (gone.has(code)) return { state: "gone" };
      if (!held.has(code)) return { state: "elsewhere" };
      if (allowed.has(code)) {
        const value = values ? values.cards[code] ?? "" : "";
        return { action: () => act(view, "play", code), state: values?.best.includes(code) ? "legal best" : known ? "legal" : "", label: value };
      }
      // It may have been played all the same: what lay on the table stands, and is flagged.
      if (view.data.kind === "playout") return { state: "elsewhere" };
      return { state: "illegal", action: () => {
        if (view.doubt === code) act(view, "play", code);
        else { view.doubt = code; drawEntry(view); }
      } };
    });
    const doubt = view.doubt ? el("p", { class: "doubt", role: "alert" }, fill(words.doubt, { card: cardWords(view, view.doubt) })) : null;
    const out = [tableView(view), prompt(view, trick), doubt, keys];
    if (view.claiming) out.push(claimPanel(view));
    return out.filter(Boolean);
  },

  done(view) {
    const { words, game } = view;
    const out = [];
    if (game.plays.length) out.push(tableView(view));
    out.push(el("p", { class: "ask", role: "status" }, words[`done_${view.data.kind}`]));
    return out;
  },
};

/** The trick on the table, each card before its player, with who won the tricks so far. */
function tableView(view) {
  const { game, data } = view;
  const shown = game.trick.length ? game.trick : game.lastTrick;
  const best = shown.length ? bestOf(game.rules, game.trump, shown) : null;
  const taken = [0, 1, 2, 3].map((s) => game.winners.filter((w) => w === s).length);
  const places = [0, 1, 2, 3].map((seat) => {
    const play = shown.find((p) => p.seat === seat);
    const role = seat === game.declarer ? view.words.declarer_mark : "";
    return el("div", { class: `place p${seat} ${game.asks === "play" && seat === game.toPlay ? "turn" : ""}`, "data-place": "NESW"[seat] },
      el("span", { class: "who" }, (view.setup.names[seat] ?? "").trim() || data.seats[seat], role ? el("span", { class: "role" }, ` ${role}`) : null,
        taken[seat] ? el("span", { class: "taken" }, ` ${taken[seat]}`) : null),
      play ? chip(view, play.card, `${play === best ? "wins" : ""} ${game.trick.length ? "" : "over"}`) : el("span", { class: "empty" }, "–"));
  });
  const trump = el("div", { class: "trumpmark" }, game.trump === NO_SUIT || game.trump === null
    ? el("span", {}, view.text.no_trump) : suitChip(view, game.trump));
  return el("div", { class: "trick" }, ...places, trump);
}

// -- the whole -----------------------------------------------------------------------------------

function summary(view) {
  const { setup, game, words, data } = view;
  const parts = [];
  if (setup.started && data.kind === "enter") {
    parts.push(el("span", {}, fill(words.summary, { hand: setup.hand || "–", rules: game.rules.name })));
    if (setup.dealer !== null && setup.mode !== "score") parts.push(el("span", {}, fill(words.summary_dealer, { name: who(view, setup.dealer) })));
  }
  if (game.calls.length) {
    parts.push(el("span", { class: "calls" }, ...game.calls.map((c) => {
      const bid = game.rules.calls.find((x) => x.text === c.text);
      return el("span", { class: `call ${c.text === "-" ? "" : "bid"}` }, `${data.letters[c.seat]} ${bid ? bid.label : words.pass}`);
    })));
  }
  if (game.declarer !== null && game.bid) {
    parts.push(el("span", {}, fill(words.summary_contract, { name: who(view, game.declarer), contract: game.bid.label })));
  }
  if (game.called && game.called !== "-") parts.push(el("span", {}, `${words.called} `, chip(view, game.called)));
  if (game.claims.length) parts.push(el("span", {}, game.claims.map((c) => claimWords(view, c)).join(" · ")));
  return parts.length ? el("div", { class: "summary" }, ...parts) : null;
}

function tools(view) {
  const { game, words, setup, data } = view;
  const out = [];
  const back = data.kind === "playout" ? game.plays.length > 0 : view.actions.length > 0 || (setup.started && data.kind === "enter");
  if (setup.started) out.push(press(view, words.undo, () => undo(view), { "data-do": "undo", disabled: !back }));
  if (game.asks === "play" && data.kind === "enter") {
    const { meld, show } = game.rules;
    if ((contractOf(game).meld && (meld.values.length || meld.cards || meld.stuk)) || show) {
      out.push(press(view, words.claim, () => {
        view.claiming = view.claiming ? null : {};
        drawEntry(view);
      }, { "data-do": "claim", "aria-expanded": String(Boolean(view.claiming)) }));
    }
    if (setup.mode === "deal" && game.plays.length === 28) {
      out.push(press(view, words.last_trick, () => {
        for (let i = 0; i < 4; i += 1) {
          view.actions.push(["play", heldBy(view.game, view.game.toPlay)[0]]);
          refold(view);
        }
        moved(view);
      }, { class: "main", "data-do": "last-trick" }));
    }
    out.push(press(view, words.stopped, () => act(view, "stop"), { "data-do": "stop" }));
  }
  if (game.asks === "play" && data.kind === "playout") {
    const best = data.values?.ply === game.plays.length ? data.values.best[0] : null;
    out.push(press(view, words.best, () => act(view, "play", best), { class: "main", "data-do": "best", disabled: !best }));
  }
  if (setup.started && data.kind === "enter") {
    out.push(press(view, view.sure ? words.fresh_sure : words.fresh, () => {
      if (!view.sure && view.actions.length) {
        view.sure = true;
        drawEntry(view);
        return;
      }
      view.actions = [];
      view.setup = { ...view.setup, draft: newDraftNumber(), started: false };
      view.sure = false;
      moved(view);
    }, { "data-do": "fresh" }));
  }
  return out.length ? el("div", { class: "tools" }, ...out) : null;
}

function drawEntry(view) {
  const { root, game } = view;
  const focus = root.getRootNode().activeElement;
  const mark = focus && root.contains(focus) ? [...focus.attributes].find((a) => a.name.startsWith("data-")) : null;
  root.dataset.asks = game.asks;
  root.dataset.taps = view.actions.length;
  root.dataset.plays = game.plays.length;
  if (game.asks !== "setup" && game.asks !== "done" && view.asked === "setup") view.allBids = false;
  const entered = view.asked === "setup" && game.asks !== "setup";
  view.asked = game.asks;
  root.replaceChildren(...[summary(view), ...PANELS[game.asks](view), tools(view)].flat().filter(Boolean));
  if (mark) [...root.querySelectorAll(`[${mark.name}]`)].find((e) => e.getAttribute(mark.name) === mark.value)?.focus({ preventScroll: true });
  if (entered) root.scrollIntoView({ block: "start" });
}

function isDarkGround(root) {
  const probe = document.createElement("canvas").getContext("2d");
  probe.fillStyle = "#ffffff";
  probe.fillStyle = getComputedStyle(root).getPropertyValue("--st-background-color").trim() || "#ffffff";
  const n = parseInt(probe.fillStyle.slice(1, 7), 16);
  return (n >> 16) * 0.3 + ((n >> 8) & 255) * 0.59 + (n & 255) * 0.11 < 128;
}

/** Where Python says how the hand stands (deal or position to play out), that is where it begins. */
function given(view) {
  const { data } = view;
  if (data.kind === "playout") {
    view.setup = { ...blankSetup(data), ...data.setup, names: ["", "", "", ""], started: true };
    view.actions = data.actions.map((a) => [...a]);
  } else if (data.kind === "deal" && data.actions) {
    view.setup = { ...blankSetup(data), mode: "deal", started: true };
    view.actions = data.actions.map((a) => [...a]);
  }
}

export default function (component) {
  const parent = component.parentElement;
  const { data } = component;
  let view = ENTRIES.get(parent);
  if (!view) {
    view = { root: el("div", { class: "entry" }), dealTo: null, allBids: false, sent: null, stamp: null };
    parent.querySelector(".mount").replaceChildren(view.root);
    ENTRIES.set(parent, view);
    Object.assign(view, kept(data));
    if (data.kind === "deal") Object.assign(view.setup, { mode: "deal", started: true, rules: data.first_rules });
  }
  Object.assign(view, { component, data, words: data.words, text: data.text });
  if (data.stamp !== undefined && data.stamp !== view.stamp) {
    view.stamp = data.stamp;
    given(view);
  }
  if (!data.rules[view.setup.rules]) view.setup.rules = data.first_rules;
  if ((data.done ?? []).includes(view.setup.draft)) {
    view.setup = followingSetup(view.setup);
    view.actions = [];
  }
  view.root.classList.toggle("dark", isDarkGround(view.root));
  view.root.setAttribute("lang", data.lang);
  const seen = JSON.stringify(data);
  if (seen !== view.seen) {
    view.seen = seen;
    refold(view);
    keep(view);
    drawEntry(view);
    report(view);
  }
  return () => ENTRIES.delete(parent);
}
