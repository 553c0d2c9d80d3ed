// Watching matches: those in the folder, and those that the page starts.

import { curves } from "./chart.js";
import { treeOf } from "./filing.js";
import { button, el, fill } from "./dom.js";
import { Replay } from "./replay.js";

/** @typedef {import("./filing.js").StoredGame} StoredGame */
/** @typedef {{result: any, text: string, course: [number, number][], last?: StoredGame | null, over?: boolean}} MatchView */

export class Watch {
  /** @param {import("./main.js").App} app */
  constructor(app) {
    this.app = app;
    /** @type {AbortController | null} */
    this.following = null;
    /** @type {import("./types.js").GameView | null} */
    this.game = null;
    /** @type {StoredGame | null} */
    this.last = null;
    this.replay = new Replay(app.desk);
    this.list = el("div", { class: "folders", role: "group", "aria-label": "Matches" });
    this.score = el("div", { class: "score", role: "status" });
    this.select = el("select", { id: "match-game" });
    this.first = el("input", { id: "match-first", type: "text", placeholder: "The default player", spellcheck: "false" });
    this.second = el("input", { id: "match-second", type: "text", placeholder: "The default player", spellcheck: "false" });
    this.number = el("input", { id: "match-games", type: "number", min: 2, step: 2, value: 20 });
    this.out = el("input", { id: "match-out", type: "text", placeholder: "Not kept", spellcheck: "false" });
    this.form = this.buildForm();
    this.element = el("div", { class: "follow" },
      el("aside", {}, el("h2", {}, "New match"), this.form, el("h2", {}, "Matches"), this.list),
      el("section", { "aria-label": "Match" }, this.score, this.replay.element));
  }

  async enter() {
    fill(this.app.main, this.element);
    fill(this.select, ...this.app.games.map(({ name }) => el("option", { value: name }, name)));
    if (this.app.desk.game) this.select.value = this.app.desk.game.name;
    if (!this.app.hasRuns) {
      fill(this.list, el("p", { class: "empty" }, "Start gameforge web with --runs FOLDER to watch its matches."));
      return;
    }
    const answer = await this.app.desk.try(() => this.app.connection.ask("folders"));
    const matches = (answer?.folders ?? []).filter((/** @type {{kind: string}} */ { kind }) => kind === "match");
    fill(this.list, ...matches.map((/** @type {{path: string, game: string, state: string, detail: string}} */ match) =>
      el("button", { type: "button", class: "folder", click: () => this.follow("match", match.game, { path: match.path }) },
        el("span", {}, match.path, el("small", {}, `${match.detail}, ${match.state}`)))));
  }

  leave() {
    this.following?.abort();
    this.replay.stop();
  }

  resume() {
    fill(this.score, el("p", {}, "The connection was lost; choose the match again."));
  }

  buildForm() {
    const field = (/** @type {string} */ name, /** @type {HTMLElement} */ input) =>
      el("div", { class: "field" }, el("label", { for: input.id }, name), input);
    return el("form", { submit: (/** @type {Event} */ event) => this.begin(event) },
      field("Game", this.select), field("First", this.first), field("Second", this.second), field("Games", this.number), field("Folder", this.out),
      el("div", { class: "buttons" }, button("Stop", () => this.stop()), el("button", { class: "primary" }, "Start")));
  }

  /** @param {Event} event */
  begin(event) {
    event.preventDefault();
    this.follow("start-match", this.select.value, {
      first: this.first.value.trim(), second: this.second.value.trim(), games: Number(this.number.value), out: this.out.value.trim(),
    });
  }

  stop() {
    this.following?.abort();
    this.following = null;
  }

  /** @param {string} request @param {string} game @param {object} fields */
  async follow(request, game, fields) {
    this.stop();
    const following = new AbortController();
    this.following = following;
    const opened = await this.app.desk.try(() => this.app.connection.ask("game", { game }));
    if (!opened || this.following !== following) return;
    this.game = opened.game;
    fill(this.score, el("p", {}, "…"));
    const update = (/** @type {any} */ view) => {
      if (this.following !== following) return;
      if (view.preparing !== undefined) fill(this.score, el("p", {}, view.preparing));
      else this.show(view);
    };
    const last = await this.app.desk.try(() => this.app.connection.ask(request, { game, ...fields }, { signal: following.signal, update }));
    if (last) update(last);
  }

  /** @param {MatchView} view */
  show(view) {
    const { result } = view;
    const names = result.players;
    this.last = view.last ?? this.last;
    const last = this.last;
    fill(this.score,
      el("table", { class: "cross" },
        el("thead", {}, el("tr", {}, ...["", "Won", "Drawn", "Lost", "Score"].map((text) => el("th", { scope: "col" }, text)))),
        el("tbody", {},
          el("tr", {}, ...[names[0], result.wins, result.draws, result.losses, percent(result.score)].map((text) => el("td", {}, String(text)))),
          el("tr", {}, ...[names[1], result.losses, result.draws, result.wins, percent(result.score === null ? null : 1 - result.score)].map((text) => el("td", {}, String(text)))))),
      el("p", {}, view.text, view.over ? " (finished)" : ""),
      view.course.length > 1 ? curves("Score of the first player by games", [{ name: "score", points: view.course }]) : null,
      last ? button("Analyse the last game", () => this.game && this.app.analyseGame(this.game.name, treeOf(last), last.players)) : null);
    if (last && this.game && !this.replay.busy) this.replay.play(this.game, last, `Game ${result.games}:`);
  }
}

/** @param {number | null} share */
function percent(share) {
  return share === null ? "" : `${(100 * share).toFixed(1)} %`;
}
