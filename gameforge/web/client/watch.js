// Watching matches and tournaments, move by move: those in the folder, and those that the page starts.

import { preparing } from "./desk.js";
import { button, el, fill } from "./dom.js";
import { treeOf } from "./filing.js";
import { MatchForm } from "./matchform.js";
import { course, crosstable, matchTable, sprtBar } from "./matchview.js";
import { folders, keepFresh, omissions } from "./playerlist.js";
import { Replay } from "./replay.js";

/** @typedef {import("./filing.js").StoredGame} StoredGame */
/** @typedef {StoredGame & {number: number}} PlayedGame */
/** @typedef {import("./matchview.js").MatchFigures & {last?: StoredGame | null, playing?: PlayedGame | null, over?: boolean, interrupted?: boolean, match?: number, matches?: number, table?: import("./matchview.js").Standings}} WatchView */

export class Watch {
  /** @param {import("./main.js").App} app */
  constructor(app) {
    this.app = app;
    /** @type {AbortController | null} */
    this.following = null;
    /** What was asked last, to ask again after a lost connection. @type {import("./matchform.js").Start | null} */
    this.asked = null;
    /** @type {import("./types.js").GameView | null} */
    this.game = null;
    /** @type {StoredGame | null} */
    this.last = null;
    this.replay = new Replay(app.desk);
    this.list = el("div", { class: "folders", role: "group", "aria-label": "Matches" });
    this.state = el("p", { class: "watch-state", role: "status" });
    this.score = el("div", { class: "score" });
    this.form = new MatchForm(app, (start) => this.follow(start), () => this.stop());
    /** What the server has said last about the match that is followed. @type {WatchView | null} */
    this.latest = null;
    this.element = el("div", { class: "follow" },
      el("aside", {}, el("h2", {}, "New match"), this.form.element, el("h2", {}, "Matches"), this.list),
      el("section", { class: "watch", "aria-label": "Match" }, this.state, this.replay.element, this.score));
    keepFresh(this.list, () => this.refresh());
  }

  /** Whether the match that is followed was started by this page. */
  get isOwn() {
    return Boolean(this.asked?.request.startsWith("start-"));
  }

  /** @param {string} [what] A match or tournament of the folder to show, such as `match/runs/m`. */
  async enter(what = "") {
    fill(this.app.main, this.element);
    this.form.enter();
    const [kind, ...path] = what.split("/");
    const begun = this.app.sessions.now.match;
    if (this.following && this.latest) this.show(this.latest);
    else if (!this.following) this.describe();
    if (path.length && this.app.desk.game) this.follow({ request: kind, game: this.app.desk.game.name, fields: { path: path.join("/") } });
    else if (begun && !this.following) this.follow(begun);
    await this.refresh();
  }

  /** Start a match between two players of the folder. @param {string} game @param {[string, string]} players */
  between(game, players) {
    this.form.prepare(game, players);
    this.form.submit();
  }

  async refresh() {
    const answer = await folders(this.app);
    if (!this.app.connection.isOpen) return;
    const matches = answer.folders.filter(({ kind }) => kind !== "run");
    const row = (/** @type {import("./playerlist.js").Folder} */ match) =>
      el("button", { type: "button", class: "folder", click: () => this.follow({ request: match.kind, game: match.game, fields: { path: match.path } }) },
        el("span", {}, match.path, el("small", {}, `${match.detail}, ${match.state}`)));
    const none = this.app.hasRuns ? "There are no matches in this folder yet." : "Start gameforge web with --runs FOLDER to watch its matches.";
    fill(this.list, ...matches.map(row), ...omissions(answer),
      matches.length ? null : el("p", { class: "empty" }, none));
  }

  /** A match that the page started goes on. */
  leave() {
    if (!this.isOwn) this.end();
    this.replay.stop();
  }

  /** Follow a match again; one that the page started is resumed, since the server has kept it. */
  resume() {
    if (this.asked) this.follow(this.asked);
  }

  /** The person wants no more of this match. */
  stop() {
    if (this.isOwn) this.app.sessions.keepMatch(null);
    this.end();
  }

  end() {
    if (this.following) this.describe("Stopped.");
    this.following?.abort();
    this.following = null;
    this.asked = null;
  }

  /** @param {string} [text] */
  describe(text = "Start a match, or choose one from the folder.") {
    this.state.textContent = text;
  }

  /** @param {import("./matchform.js").Start} start */
  async follow(start) {
    this.end();
    const following = new AbortController();
    this.following = following;
    this.asked = start;
    if (this.isOwn) this.app.sessions.keepMatch(start);
    this.latest = null;
    this.last = null;
    this.replay.stop();
    fill(this.score);
    this.describe("…");
    const opened = await this.app.desk.try(() => this.app.connection.ask("game", { game: start.game }));
    if (!opened || this.following !== following) return;
    this.game = opened.game;
    const update = (/** @type {any} */ view) => {
      if (this.following !== following) return;
      if (view.preparing !== undefined) {
        this.describe(preparing(view));
        return;
      }
      this.latest = view;
      if (this.element.isConnected) this.show(view);
    };
    const last = await this.app.desk.try(() => this.app.connection.ask(start.request, { game: start.game, ...start.fields }, { signal: following.signal, update }));
    if (this.following !== following) return;
    if (start.request.startsWith("start-")) this.refresh();
    if (last) update(last);
    else if (this.state.textContent === "…") this.describe();
    if (!last && this.isOwn && this.app.connection.isOpen) this.app.sessions.keepMatch(null); // the server refuses it
    if (last || this.app.connection.isOpen) this.following = this.asked = null; // a lost connection asks again
  }

  /** @param {WatchView} view */
  show(view) {
    this.last = view.last ?? this.last;
    const last = this.last;
    const rows = view.table?.rows;
    const { warnings } = view.table ?? view;
    this.describe(stateOf(view));
    this.score.classList.toggle("wide", Boolean(rows?.length));
    fill(this.score,
      view.table && rows?.length ? crosstable(view.table) : null,
      view.result && (!rows || !view.over) ? matchTable(view) : null,
      view.result && sprtBar(view),
      ...[...(view.crashes ?? []), ...warnings].map((text) => el("p", { class: "damaged" }, text)),
      view.result && !rows ? course(view) : null,
      last ? button("Analyse the last game", () => this.game && this.app.analyseGame(this.game.name, treeOf(last))) : null);
    if (!this.game) return;
    if (view.playing) this.replay.follow(this.game, view.playing, `Game ${view.playing.number}:`);
    else if (last && !this.replay.busy) this.replay.play(this.game, last, view.result ? `Game ${view.result.games}:` : "");
  }
}

/** @param {WatchView} view */
function stateOf(view) {
  const match = view.matches ? `Match ${view.match} of ${view.matches}. ` : "";
  if (view.over) return "Finished.";
  if (view.interrupted) return `${match}Interrupted.`;
  return `${match}${view.playing ? `Game ${view.playing.number} is being played.` : "Running."}`;
}
