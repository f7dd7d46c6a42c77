// Announcements while a hand is entered: who says what, before which card.
function claimPanel(view) {
  const { game, words } = view;
  const { meld, show } = game.rules;
  const claim = view.claiming;
  const say = (more) => act(view, "claim", { seat: claim.seat, ...more });
  if (claim.seat === undefined) {
    return el("div", { class: "claim" }, prompt(view, words.claim_who), seatKeys(view, (seat) => {
      claim.seat = seat;
      drawEntry(view);
    }));
  }
  if (claim.kind) {
    const ready = claim.cards.length > (claim.kind === "show" ? 0 : 2);
    return el("div", { class: "claim" }, prompt(view, words.claim_cards),
      cardKeys(view, (code) => ({ state: claim.cards.includes(code) ? "legal" : "", action: () => {
        if (claim.kind === "show") say({ kind: "show", cards: [code] });
        else {
          claim.cards = claim.cards.includes(code) ? claim.cards.filter((c) => c !== code) : [...claim.cards, code];
          drawEntry(view);
        }
      } })),
      press(view, words.claim_ok, () => say({ kind: claim.kind, cards: DECK.filter((c) => claim.cards.includes(c)) }), { class: "main", disabled: !ready }));
  }
  const kinds = [
    ...meld.values.map((n) => press(view, fill(words.claim_roem, { n }), () => say({ kind: "roem", value: n }), { "data-claim": `roem${n}` })),
    meld.deny ? press(view, words.claim_deny, () => say({ kind: "deny" }), { "data-claim": "deny" }) : null,
    meld.stuk ? press(view, words.claim_stuk, () => say({ kind: "stuk" }), { "data-claim": "stuk" }) : null,
    ...(meld.cards ? ["run", "set"] : []).concat(show ? ["show"] : []).map((kind) => press(view, words[`claim_${kind}`], () => {
      claim.kind = kind;
      claim.cards = [];
      drawEntry(view);
    }, { "data-claim": kind })),
  ];
  const out = el("div", { class: "claim" }, prompt(view, fill(words.claim_what, { name: who(view, claim.seat) })), el("div", { class: "bids" }, ...kinds));
  if (meld.values.length) {
    const input = el("input", { type: "number", min: 1, max: 999, inputmode: "numeric", "aria-label": words.claim_other, placeholder: words.claim_other });
    out.append(el("div", { class: "row" }, input, press(view, words.claim_ok, () => {
      const n = Math.round(Number(input.value));
      if (n > 0 && n < 1000) say({ kind: "roem", value: n });
    }, {})));
  }
  return out;
}

function claimWords(view, claim) {
  const { words } = view;
  const what = claim.kind === "roem" ? fill(words.claim_roem, { n: claim.value }) : words[`claim_${claim.kind}`];
  return `${view.data.letters[claim.seat]}: ${what}`;
}
