// The table as people look at it, drawn from a view of the API: seats, what lies on the table, the hand, the moves.

const SIGNS = {
  spades: "♠", hearts: "♥", diamonds: "♦", clubs: "♣",
  acorns: "♣", leaves: "♠", bells: "●", coins: "●", cups: "∪", swords: "†", batons: "¦",
};
const WORDS = { draw: "Draw a card", end_turn: "End the turn", pass: "Pass" };
const FACTS = ["contract", "phase", "bid", "trump", "tricks_taken", "stock", "direction", "pot"];

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

const words = (name) => String(name).replaceAll("_", " ");

// A card; a button where there is something to do with it.
function card(id, more = {}) {
  const [rank, suit] = id.split(/-(.*)/);
  const sign = SIGNS[suit] ?? "";
  return element(
    more.onclick ? "button" : "span",
    { class: `card ${suit}`, "aria-label": `${rank} ${sign ? "of " : ""}${suit}`, role: more.onclick ? undefined : "img", ...more },
    element("b", {}, rank), element("i", {}, sign || suit.slice(0, 6)),
  );
}

function seatName(view, seat) {
  const { name, bot } = view.seats[seat];
  return name ?? (bot ? `Bot ${seat}` : `Seat ${seat}`);
}

// ------------------------------------------------------------------------------------------------- tables, by kind

const TABLES = { tricks, pile, rows };

function tricks(view, { cards, last_trick: last }) {
  const row = element("div", { class: "lying" });
  for (const { seat, card: id } of cards) row.append(played(view, seat, id));
  if (!cards.length && last) {
    for (const { seat, card: id } of last.cards) row.append(played(view, seat, id, seat === last.taker));
    return [element("p", { class: "note" }, `Last trick: ${seatName(view, last.taker)} took it`), row];
  }
  return cards.length ? [row] : [element("p", { class: "note" }, "Nothing lies on the table yet.")];
}

function played(view, seat, id, taker = false) {
  return element("figure", { class: taker ? "taker" : "" }, card(id), element("figcaption", {}, seatName(view, seat)));
}

function pile(view, { cards, sum }) {
  const row = element("div", { class: "lying" });
  for (const { seat, card: id } of cards.slice(-6)) row.append(played(view, seat, id));
  return [element("p", { class: "note" }, `The pile counts ${sum}`), row];
}

function rows(view, { rows: all }) {
  return Object.entries(all).map(([suit, row]) => {
    const line = element("div", { class: "row" });
    if (row === null) line.append(element("span", { class: `card closed ${suit}` }, element("i", {}, SIGNS[suit] ?? suit)));
    else if (row.low === row.high) line.append(card(`${row.low}-${suit}`));
    else line.append(card(`${row.low}-${suit}`), element("span", { class: "to" }, "…"), card(`${row.high}-${suit}`));
    return line;
  });
}

// ------------------------------------------------------------------------------------------------- the whole table

function seats(view) {
  const list = element("ul", { class: "seats" });
  for (const each of view.seats) {
    const about = [`${each.cards} cards`, `${each.score} points`];
    if (each.seat === view.deal?.dealer) about.push("dealer");
    if (each.seat === view.deal?.declarer) about.push("declarer");
    const bid = view.deal?.auction?.findLast((said) => said.seat === each.seat);
    if (bid && view.deal.phase === "auction") about.push(bid.bid === null ? "passes" : `bids ${bid.bid}`);
    const mine = each.seat === view.you?.seat;
    list.append(element("li", { class: each.seat === view.to_move ? "turn" : "", "aria-current": each.seat === view.to_move },
      element("b", {}, seatName(view, each.seat) + (mine ? " ★" : "")), element("span", {}, about.join(" · "))));
  }
  return list;
}

function facts(deal) {
  const told = FACTS.filter((name) => deal[name] !== null && deal[name] !== undefined);
  return element("p", { class: "facts" }, told.map((name) => `${words(name)}: ${[deal[name]].flat().map(words).join(" : ")}`).join(" · "));
}

function moveText(move) {
  if (move.type === "bid") return `Bid ${move.amount}`;
  if (move.type === "trump") return `Trump ${SIGNS[move.suit] ?? ""} ${move.suit}`;
  return WORDS[move.type] ?? words(move.type);
}

// The hand, its legal cards to click, and a button for each other move.
function hand(view, legal, choose, chosen) {
  const of = (id) => legal.find((move) => move.card === id);
  const playing = legal.some((move) => move.card); // otherwise nothing of the hand is refused: it only waits
  const cards = element("div", { class: playing ? "hand playing" : "hand", role: "group", "aria-label": "Your hand" });
  for (const id of view.you.hand) {
    const move = of(id);
    const picked = Boolean(move) && JSON.stringify(move) === JSON.stringify(chosen);
    cards.append(card(id, { onclick: () => choose(move), disabled: !move, class: `card ${id.split(/-(.*)/)[1]}${picked ? " chosen" : ""}` }));
  }
  const others = element("div", { class: "moves" });
  for (const move of legal.filter((each) => !each.card)) others.append(element("button", { onclick: () => choose(move) }, moveText(move)));
  return [cards, others];
}

function ending(view) {
  const names = view.result.winners.map((seat) => seatName(view, seat));
  const scores = view.seats.map(({ seat }) => `${seatName(view, seat)} ${view.result.scores[seat]}`);
  return element("p", { class: "result" }, `The game is over. Won by ${names.join(" and ")} (${scores.join(", ")}).`);
}

// Draw a view; `choose` is called with the move that somebody clicks, `chosen` is the one in the next request.
export function table(view, choose, chosen) {
  const parts = [seats(view)];
  if (view.deal) parts.push(facts(view.deal), element("div", { class: `felt ${view.deal.table.kind}` }, ...TABLES[view.deal.table.kind](view, view.deal.table)));
  if (view.result) parts.push(ending(view));
  else if (view.you) parts.push(...hand(view, view.you.legal_moves, choose, chosen));
  return parts;
}
