// The games of a database, page by page: filtered by the server, to open one of them. A file with many games is read into
// a database while its first games are shown.

import { button, el, fill } from "./dom.js";
import { treeOf } from "./filing.js";

/** @typedef {{number: number, players: [string, string], event: string, result: string, plies: number, ply: number | null}} ListedGame */
/** @typedef {{databases: [number, string][], database: number | null, games: ListedGame[], total: number, reading: {done: number} | null, notices: string[], left_out: number}} FoundGames */

const TYPING = 250;
const READING = 700;

export class DatabaseGames {
  /** @param {import("./main.js").App} app @param {(tree: import("./tree.js").Tree, game: import("./filing.js").StoredGame) => void} opened Called with the game that the person opens. @param {number | null} [database] Its number; null: the one that was opened last. @param {string} [game] */
  constructor(app, opened, database = null, game = app.desk.game?.name ?? "") {
    this.app = app;
    this.opened = opened;
    this.database = database;
    this.game = game;
    /** The numbers after which the pages up to this one begin. */
    this.pages = [0];
    this.round = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.later = undefined;
    const again = () => {
      this.pages = [0];
      this.ask();
    };
    const typed = () => {
      clearTimeout(this.later);
      this.later = setTimeout(again, TYPING);
    };
    const sides = app.desk.game?.name === game ? app.desk.game.sides : [];
    const field = (/** @type {string} */ label) => el("input", { type: "search", placeholder: label, "aria-label": label, autocomplete: "off", spellcheck: "false", input: typed });
    this.player = field("Player");
    this.opening = field("Opening or first moves");
    /** @type {[string, string][]} */
    const results = [["", "any result"], ["win", "won by the player"], ["loss", "lost by the player"], ["draw", "drawn"], ...sides.map((side) => /** @type {[string, string]} */ ([side, `${side} won`])), ["unfinished", "unfinished"]];
    this.result = el("select", { "aria-label": "Result", change: again }, ...results.map(([value, text]) => el("option", { value }, text)));
    this.position = el("input", { type: "checkbox", change: again });
    this.chooser = el("select", { "aria-label": "Database", change: () => {
      this.database = Number(this.chooser.value);
      again();
    } });
    this.count = el("p", { class: "figures", role: "status" });
    this.rows = el("tbody");
    this.more = el("div", { class: "buttons" });
    const head = ["Players", "Result", "Moves", "Event"];
    this.table = el("div", { class: "scroll rows", tabindex: "0", role: "region", "aria-label": "Games" },
      el("table", { class: "cross" }, el("thead", {}, el("tr", {}, ...head.map((text) => el("th", { scope: "col", class: "name" }, text)))), this.rows));
    this.element = el("dialog", { class: "list games", "aria-label": "Games of a database" }, el("h2", {}, "Games"),
      el("div", { class: "tools filters" }, this.chooser, this.player, this.result, this.opening,
        app.desk.game?.name === game && el("label", {}, this.position, " with the position on the board")),
      this.count, this.table, this.more);
    this.element.addEventListener("close", () => {
      this.round += 1;
      clearTimeout(this.later);
      this.element.remove();
    });
  }

  open() {
    document.body.append(this.element);
    this.element.showModal();
    this.ask();
  }

  async ask() {
    clearTimeout(this.later);
    const round = ++this.round;
    const { desk, connection } = this.app;
    const result = /^(win|loss)$/.test(this.result.value) && !this.player.value.trim() ? "" : this.result.value;
    const wanted = {
      ...(this.position.checked && desk.where()), game: this.game, database: this.database, player: this.player.value.trim(), result,
      opening: this.opening.value.trim(), position: this.position.checked, after: this.pages[this.pages.length - 1],
    };
    /** @type {FoundGames | undefined} */
    const answer = await desk.try(() => connection.ask("database-games", wanted));
    if (answer && round === this.round) this.show(answer);
  }

  /** @param {FoundGames} answer */
  show({ databases, database, games, total, reading, notices, left_out }) {
    this.database = database;
    fill(this.chooser, ...databases.map(([number, name]) => el("option", { value: number }, name)));
    this.chooser.value = String(database);
    this.chooser.hidden = databases.length < 2;
    if (database === null) {
      fill(this.count, `There is no database of ${this.game}. Load a file of games, or start with gameforge web --games FILE.`);
    } else {
      const first = 50 * (this.pages.length - 1);
      const found = total ? `Games ${number(first + 1)} to ${number(first + games.length)} of ${number(total)}` : "No such games";
      const left = left_out ? `; ${number(left_out)} could not be read, such as: ${notices[0]}` : notices.length ? `; ${notices[0]}` : "";
      fill(this.count, reading ? `${found}; reading the file: ${number(reading.done)} games so far` : `${found}${left}`);
    }
    fill(this.rows, ...games.map((game) => this.row(game)));
    const page = (/** @type {string} */ text, /** @type {() => void} */ turn) => button(text, () => {
      turn();
      this.table.scrollTop = 0;
      this.ask();
    });
    const last = games[games.length - 1];
    fill(this.more,
      this.pages.length > 1 && page("Before", () => this.pages.pop()),
      last && 50 * (this.pages.length - 1) + games.length < total && page("Next", () => this.pages.push(last.number)),
      button("Close", () => this.element.close()));
    if (reading) this.later = setTimeout(() => this.ask(), READING);
  }

  /** @param {ListedGame} game */
  row({ number, players, event, result, plies, ply }) {
    return el("tr", {}, el("td", { class: "name" }, button(players.join(" - "), () => this.read(number, ply), { class: "moment" })),
      el("td", { class: "name" }, result), el("td", { class: "name" }, String(plies)), el("td", { class: "name" }, event));
  }

  /** Open a game, at the position that was looked for. @param {number} number @param {number | null} ply */
  async read(number, ply) {
    const answer = await this.app.desk.try(() => this.app.connection.ask("database-game", { game: this.game, number, database: this.database }));
    if (!answer) return;
    this.element.close();
    const tree = treeOf(answer.game);
    if (ply) tree.current = tree.line(tree.root)[ply] ?? tree.root;
    this.opened(tree, { ...answer.game, game: this.game });
  }
}

/** @param {number} n */
function number(n) {
  return n.toLocaleString("en");
}
