// The form that starts a match or a tournament.

import { button, el, fill } from "./dom.js";
import { folders, playersOf, suggestions } from "./playerlist.js";

const TIMES = [["The players' own", ""], ["0.05 s", "0.05"], ["0.1 s", "0.1"], ["0.5 s", "0.5"], ["1 s", "1"], ["5 s", "5"]];
const LIST = "match-players";

/** @typedef {{request: string, game: string, fields: {path?: string, [key: string]: unknown}}} Start */

export class MatchForm {
  /** @param {import("./main.js").App} app @param {(start: Start) => void} begin @param {() => void} stop */
  constructor(app, begin, stop) {
    this.app = app;
    this.begin = begin;
    this.game = el("select", { id: "match-game", change: () => this.suggest() });
    this.kind = el("select", { id: "match-kind", change: () => this.switch() },
      el("option", { value: "match" }, "Match"), el("option", { value: "tournament" }, "Tournament"));
    const player = (/** @type {string} */ id) => el("input", { id, type: "text", list: LIST, placeholder: "The default player", spellcheck: "false", autocomplete: "off" });
    this.first = player("match-first");
    this.second = player("match-second");
    this.players = el("textarea", { id: "match-entrants", rows: 4, spellcheck: "false", placeholder: "One player per line" });
    this.games = el("input", { id: "match-games", type: "number", min: 2, step: 2, value: 20 });
    this.time = el("select", { id: "match-time" }, ...TIMES.map(([text, value]) => el("option", { value }, text)));
    this.sprt = el("input", { id: "match-sprt", type: "text", placeholder: "None, or 0,10", spellcheck: "false", autocomplete: "off" });
    this.out = el("input", { id: "match-out", type: "text", placeholder: "Not kept", spellcheck: "false", autocomplete: "off" });
    this.list = suggestions(LIST);
    this.ofMatch = [field("First", this.first), field("Second", this.second)];
    this.ofTournament = [field("Players", this.players)];
    this.test = field("SPRT", this.sprt);
    this.folder = field("Folder", this.out);
    this.element = el("form", { class: "match-form", submit: (/** @type {Event} */ event) => this.submit(event) },
      field("Game", this.game), field("Kind", this.kind), ...this.ofMatch, ...this.ofTournament,
      field("Games", this.games), field("Time", this.time), this.test, this.folder, this.list,
      el("div", { class: "buttons" }, button("Stop", stop), el("button", { class: "primary" }, "Start")));
    this.switch();
  }

  enter() {
    this.folder.hidden = !this.app.hasRuns;
    this.choose(this.game.value || this.app.desk.game?.name || "");
  }

  /** Choose the game. @param {string} game */
  choose(game) {
    this.name(game);
    this.suggest();
  }

  /** Show the name of a game, which need not be one that the server lists. @param {string} game */
  name(game) {
    const names = this.app.games.map(({ name }) => name);
    fill(this.game, ...(names.includes(game) ? names : [...names, game]).map((each) => el("option", { value: each }, each)));
    this.game.value = game;
  }

  /** Fill the form for a match between two players. @param {string} game @param {[string, string]} players */
  prepare(game, [first, second]) {
    this.name(game);
    this.kind.value = "match";
    this.switch();
    [this.first.value, this.second.value] = [first, second];
    this.suggest();
  }

  switch() {
    const match = this.kind.value === "match";
    for (const row of [...this.ofMatch, this.test]) row.hidden = !match;
    for (const row of this.ofTournament) row.hidden = match;
  }

  async suggest() {
    const game = this.game.value;
    const [answer, known] = await Promise.all([this.app.desk.try(() => this.app.connection.ask("game", { game })), folders(this.app)]);
    if (answer && this.game.value === game) fill(this.list, ...playersOf(answer.game, known.folders).map((value) => el("option", { value })));
  }

  /** @param {Event} [event] */
  submit(event) {
    event?.preventDefault();
    const kept = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const common = { kept, games: Number(this.games.value), ...(this.time.value && { seconds: Number(this.time.value) }), out: this.app.hasRuns ? this.out.value.trim() : "" };
    const match = this.kind.value === "match";
    const fields = match
      ? { first: this.first.value.trim(), second: this.second.value.trim(), sprt: this.sprt.value.trim() }
      : { players: this.players.value.split("\n").map((line) => line.trim()).filter(Boolean) };
    this.begin({ request: match ? "start-match" : "start-tournament", game: this.game.value, fields: { ...fields, ...common } });
  }
}

/** @param {string} name @param {HTMLElement} input */
function field(name, input) {
  return el("div", { class: "field" }, el("label", { for: input.id }, name), input);
}
