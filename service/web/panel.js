// The steps of a first game: which comes next, what is known, and what the page shows of it.
import { element, table } from "/docs/cards.js";
import { asCurl, asHttp, at, needs, newKey, request, send } from "/docs/requests.js";

// What stands between a game and its next step. A view is stale from the moment that something else may have happened.
export function situation({ game_id: game, move }, view) {
  if (!game) return "new";
  if (!view) return "stale";
  if (view.result || view.status === "abandoned") return "over";
  if (view.to_move !== view.you?.seat) return "waiting";
  return move ? "moving" : "choosing";
}

// What stands between backquotes is code.
function asCode(text) {
  return text.split("`").map((part, place) => (place % 2 ? element("code", {}, part) : part));
}

export class Panel {
  constructor(root, { games, steps }, tell) {
    this.find = (selector) => root.querySelector(selector);
    this.root = root;
    this.games = games;
    this.steps = steps;
    this.tell = tell;
    this.done = new Set();
    this.sending = false;
    this.choose(Object.keys(games)[0]);
  }

  // Begin again, with another game.
  choose(ruleset) {
    this.ruleset = ruleset;
    this.known = { ruleset, create: this.games[ruleset].create, key: newKey(), api_key: this.known?.api_key };
    this.view = this.drawn = this.answer = null;
    this.trouble = "";
    this.sending = false;
    this.done.clear();
    this.step = this.next();
  }

  startOver(ruleset) {
    this.choose(ruleset);
    this.tell(this.known);
    this.draw();
  }

  next() {
    const now = situation(this.known, this.view);
    const fitting = this.steps.filter((step) => step.when === now);
    return fitting.find((step) => !this.done.has(step.id)) ?? fitting[0];
  }

  // ----------------------------------------------------------------------------------------------- doing

  async send(step) {
    if (this.sending) return false;
    const game = this.known;
    this.sending = true;
    this.step = step;
    this.draw();
    let answer = null;
    try {
      answer = { ...(await send(request(step, game))), to: step.title };
    } catch (error) {
      this.trouble = `The service did not answer (${error.message}). Send the same again.`;
    }
    if (game !== this.known) return false; // another game has been begun meanwhile
    this.sending = false;
    if (answer) this.take(step, answer);
    const good = answer !== null && answer.status < 300;
    if (good) this.step = this.next();
    this.draw();
    return good;
  }

  take(step, answer) {
    const { status, body } = (this.answer = answer);
    this.trouble = "";
    if (status >= 300) {
      this.trouble = `${body?.title ?? "Refused"}. ${body?.detail ?? ""}`;
      if (status === 409) this.age(); // somebody was first: look again
      return;
    }
    this.done.add(step.id);
    const found = Object.entries(step.takes).map(([name, place]) => [name, at(place, body)]);
    Object.assign(this.known, Object.fromEntries(found));
    if (step.ages) this.age();
    if (step.view !== undefined) this.see(at(step.view, body));
    this.tell(this.known);
  }

  age() {
    this.view = null;
    delete this.known.move;
  }

  see(view) {
    this.view = this.drawn = view;
    delete this.known.move;
  }

  // A move that was clicked on the table is made at once; then the others move until it is our turn again.
  async play(move) {
    if (this.sending) return;
    this.known.move = move;
    if (await this.send(this.steps.find((step) => step.id === "move"))) await this.catchUp();
    this.find(".hand button:enabled, .moves button")?.focus({ preventScroll: true });
  }

  // Wait and look, until it is our turn.
  async catchUp() {
    let good = true;
    while (good && ["waiting", "stale"].includes(situation(this.known, this.view))) good = await this.send(this.next());
  }

  // The step that is shown; waiting goes on by itself, since each move of the others is an answer of its own.
  async sendShown() {
    const waited = this.step.when === "waiting";
    if ((await this.send(this.step)) && waited) await this.catchUp();
    this.find(".send").focus({ preventScroll: true });
  }

  // ----------------------------------------------------------------------------------------------- showing

  show() {
    const choice = this.find(".choice");
    for (const [ruleset, { title, text }] of Object.entries(this.games)) {
      const radio = element("input", { type: "radio", name: "ruleset", value: ruleset, checked: ruleset === this.ruleset,
        onchange: () => this.startOver(ruleset) });
      choice.append(element("label", { title: text }, radio, ` ${title}`));
    }
    const key = this.find(".key input");
    key.addEventListener("input", () => { this.known.api_key = key.value; this.drawRequest(); });
    this.root.hidden = false;
    this.tell(this.known);
    this.draw();
  }

  draw() {
    this.root.setAttribute("aria-busy", this.sending);
    this.find(".told").textContent = this.trouble || this.prompt();
    this.find(".told").classList.toggle("trouble", Boolean(this.trouble));
    this.drawSteps();
    this.drawRequest();
    this.drawAnswer();
    this.drawTable();
  }

  prompt() {
    if (this.sending && this.step.id === "follow") return "Waiting for the others…";
    const now = situation(this.known, this.view);
    return { new: this.games[this.ruleset].text, moving: "Your turn: send this, or click a move.",
      choosing: "Your turn: list the moves, or click one.", over: "The game is over." }[now] ?? "";
  }

  drawSteps() {
    const possible = (step) => needs(step).every((name) => this.known[name] !== undefined) && this.fits(step);
    this.find(".steps").replaceChildren(...this.steps.map((step) => element("li", { class: this.done.has(step.id) ? "done" : "" },
      element("button", { disabled: !possible(step) || this.sending, "aria-pressed": String(step === this.step),
        onclick: () => { this.step = step; this.draw(); } }, step.title))));
  }

  fits(step) {
    return step.when === situation(this.known, this.view) || Boolean(step.anytime && this.known.game_id);
  }

  drawRequest() {
    const asked = request(this.step, this.known);
    this.find(".request").hidden = false;
    this.find(".request h2").textContent = this.step.title;
    this.find(".why").replaceChildren(...asCode(this.step.text));
    this.find(".key").hidden = !(this.step.id === "create" && (this.answer?.status === 401 || this.known.api_key));
    this.find(".http").textContent = asHttp(asked);
    this.find(".curl pre").textContent = asCurl(asked);
    this.find(".buttons").replaceChildren(
      element("button", { class: "send", disabled: this.sending, onclick: () => this.sendShown() }, "Send"),
      element("button", { onclick: () => navigator.clipboard?.writeText(asCurl(asked)) }, "Copy curl"),
      element("button", { hidden: !this.known.game_id, onclick: () => this.startOver(this.ruleset) }, "Another game"),
    );
  }

  drawAnswer() {
    this.find(".answer").hidden = !this.answer;
    if (!this.answer) return;
    this.find(".status").textContent = `to “${this.answer.to}”: ${this.answer.status} ${this.answer.meaning}`;
    this.find(".answer pre").textContent = JSON.stringify(this.answer.body, null, 2);
  }

  drawTable() {
    const place = this.find(".table");
    place.hidden = !this.drawn;
    if (!this.drawn) return;
    place.classList.toggle("stale", this.drawn !== this.view);
    const ready = this.drawn === this.view && !this.sending;
    place.replaceChildren(...table(this.drawn, (move) => ready && this.play(move), this.known.move));
  }
}
