// A hand that is being entered, as a fold over what was tapped. No rule of the game stands here:
// who calls, what beats what and what may be played is looked up in tables that Python made.
const DECK = ["S", "H", "D", "C"].flatMap((s) =>
  [..."AKQJT9876"].filter((r) => r !== "6" || s === "H").map((r) => s + r));
const CARD_NUMBER = new Map(DECK.map((code, i) => [code, i]));
const MIDDLE_OWNER = 4;
const NO_SUIT = 4;

function beaten(rules, trump, best, code) {
  return rules.beats[trump][CARD_NUMBER.get(best)][CARD_NUMBER.get(code)] === "1";
}

/** The card that is winning a trick, by what beats what. */
function bestOf(rules, trump, trick) {
  return trick.reduce((best, play) => (best && !beaten(rules, trump, best.card, play.card) ? best : play), null);
}

/** The cards of a hand that may be played: their kinds are looked up, see entering.py. */
function allowedCards(game, hand) {
  if (!game.trick.length) return new Set(hand);
  const { rules, trump } = game;
  const led = game.trick[0].card;
  const best = bestOf(rules, trump, game.trick).card;
  const of = (code) => suitOf(code);
  const situation = trump === NO_SUIT ? "none" : of(led) === trump ? "trumps" : of(best) === trump ? "trumped" : "plain";
  const kind = (code) => {
    if (of(code) !== trump) return of(code) === of(led) ? "F" : "O";
    const higher = beaten(rules, trump, best, code);
    if (CARD_NUMBER.get(code) === rules.jas[trump]) return higher ? "J" : "K";
    return higher ? "H" : "L";
  };
  const kinds = [...new Set(hand.map(kind))].sort().join("");
  const allowed = rules.legal[`${situation}:${kinds}`] ?? kinds;
  return new Set(hand.filter((code) => allowed.includes(kind(code))));
}

function blankGame(setup, rules) {
  return {
    setup, rules, owner: new Map(), dealt: [[], [], [], []], middle: null, calls: [], step: 0,
    over: false, passedOut: false, skipped: setup.mode === "score", declarer: null, bid: null,
    discard: null, trump: null, called: null, plays: [], trick: [], lastTrick: [], winners: [],
    leader: null, toPlay: null, claims: [], stopped: false, outcome: null, partner: null,
  };
}

function contractOf(game) {
  return game.bid ? game.rules.contracts[game.bid.contract] : null;
}

function nextDealt(game) {
  for (let i = 0; i < 4; i += 1) if (game.dealt[i].length < 8) return i;
  return null;
}

function apply(game, action) {
  const [kind, a, b] = action;
  if (kind === "deal") {
    if (game.owner.has(a)) return;
    game.owner.set(a, b);
    if (b === MIDDLE_OWNER) game.middle = a;
    else game.dealt[b].push(a);
    // With three hands and the middle card told, the rest can only be the fourth.
    const open = [0, 1, 2, 3].filter((s) => game.dealt[s].length < 8);
    if (game.middle !== null && open.length === 1 && game.owner.size < DECK.length) {
      for (const code of DECK) {
        if (game.owner.has(code)) continue;
        game.owner.set(code, open[0]);
        game.dealt[open[0]].push(code);
      }
    }
  } else if (kind === "call") {
    const row = game.rules.auction[game.step];
    const seat = (game.setup.dealer + 1 + row[0]) % 4;
    game.calls.push({ seat, text: a });
    if (a !== "-") game.bid = game.rules.calls.find((c) => c.text === a) ?? game.bid;
    game.step = a === "-" ? row[1] : row[2];
    const after = game.rules.auction[game.step];
    game.over = after[3] === 1;
    if (game.over && after[4] < 0) game.passedOut = true;
    else if (game.over) game.declarer = (game.setup.dealer + 1 + after[4]) % 4;
  } else if (kind === "skip") game.skipped = true;
  else if (kind === "declarer") game.declarer = a;
  else if (kind === "contract") game.bid = game.rules.calls.find((c) => c.text === a) ?? null;
  else if (kind === "discard") game.discard = a;
  else if (kind === "trump") game.trump = a;
  else if (kind === "called") game.called = a;
  else if (kind === "middle") game.middle = a;
  else if (kind === "play") playCard(game, a);
  else if (kind === "claim") game.claims.push({ ply: game.plays.length, ...a });
  else if (kind === "stop") game.stopped = true;
  else if (kind === "outcome") game.outcome = a;
  else if (kind === "partner") game.partner = a;
}

function playCard(game, code) {
  const seat = game.toPlay ?? leaderOf(game);
  game.leader ??= seat;
  game.plays.push({ card: code, seat });
  game.trick = [...game.trick, { card: code, seat }];
  game.toPlay = (seat + 1) % 4;
  if (game.trick.length === 4) {
    const winner = bestOf(game.rules, game.trump, game.trick).seat;
    game.winners.push(winner);
    game.lastTrick = game.trick;
    game.trick = [];
    game.toPlay = winner;
  }
}

function leaderOf(game) {
  return game.rules.declarer_leads ? game.declarer : (game.setup.dealer + 1) % 4;
}

/** What has to be told next: the name of the panel that asks for it. */
function askedFor(game) {
  const { setup } = game;
  if (!setup.started) return "setup";
  if (setup.mode === "deal" && game.owner.size < DECK.length) return "deal";
  if (setup.kind === "deal") return "done";
  if (!game.skipped && !game.over) return "auction";
  if (game.passedOut) return "done";
  if (game.declarer === null) return "declarer";
  if (game.bid === null) return "contract";
  const contract = contractOf(game);
  if (setup.mode === "score") {
    if (contract.partner && game.partner === null) return "partner";
    return game.outcome === null ? "outcome" : "done";
  }
  if (setup.mode === "deal" && contract.takes_middle && game.discard === null) return "discard";
  if (contract.trump && game.trump === null) return "trump";
  if (game.trump === null) game.trump = NO_SUIT;
  if (Object.keys(contract.call).length && game.called === null) return "called";
  if (setup.mode === "play" && game.middle === null && contract.takes_middle) return "middle";
  game.toPlay ??= leaderOf(game);
  if (game.stopped) return game.outcome === null ? "outcome" : "done";
  return game.plays.length < 32 ? "play" : "done";
}

/** Everything that was tapped, folded; the fold is the only place where it gets a meaning. */
function foldHand(setup, actions, rules) {
  const game = blankGame(setup, rules);
  game.asks = askedFor(game);
  for (const action of actions) {
    apply(game, action);
    game.asks = askedFor(game);
  }
  return game;
}

/** The cards a seat still holds, where the hands are known. */
function heldBy(game, seat) {
  const gone = new Set(game.plays.map((p) => p.card));
  const hand = DECK.filter((code) => game.owner.get(code) === seat);
  if (seat === game.declarer && contractOf(game)?.takes_middle) {
    if (game.middle) hand.push(game.middle);
    if (game.discard) gone.add(game.discard);
  }
  return hand.filter((code) => !gone.has(code));
}

/** The hand as Python takes it (entering.record_of). */
function recordOf(setup, game) {
  const contract = contractOf(game);
  const deal = Object.fromEntries(game.owner);
  if (setup.mode === "play" && game.middle && game.middle !== "?") deal[game.middle] = MIDDLE_OWNER;
  const played = setup.mode !== "score" && contract !== null;
  return {
    draft: setup.draft, rules: setup.rules, dealer: setup.mode === "score" ? null : setup.dealer,
    date: setup.date, session: setup.session, hand: setup.hand, names: setup.names,
    deal, calls: game.skipped ? null : game.calls.map((c) => c.text),
    declarer: game.skipped ? game.declarer : null, contract: game.skipped ? game.bid.text : null,
    trump: played ? (contract.trump ? "SHDC"[game.trump] : "-") : null,
    called: played ? game.called ?? "-" : null,
    discard: played ? game.discard ?? (contract.takes_middle ? "?" : "-") : null,
    plays: game.plays.map((p) => p.card), claims: game.claims,
    outcome: game.outcome === "unknown" ? null : game.outcome,
    conceded: game.stopped ? game.plays.length : null, partner: game.partner,
  };
}
