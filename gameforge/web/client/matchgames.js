// All games of a match in the folder, filtered and ordered by the server, to open one of them in the analysis.

import { treeOf } from "./filing.js";
import { button, el, fill } from "./dom.js";

/** @typedef {{number: number, players: [string, string], winner: number | null, plies: number, reason: string, opening: string, diverges: number | null}} Listed */

export class MatchGames {
  /** @param {import("./main.js").App} app @param {string} game @param {string} path @param {[string, string]} players */
  constructor(app, game, path, players) {
    this.app = app;
    this.game = game;
    this.path = path;
    this.skip = 0;
    const again = () => {
      this.skip = 0;
      this.ask();
    };
    const choice = (/** @type {string} */ label, /** @type {[string, string][]} */ options) =>
      el("select", { "aria-label": label, change: again }, ...options.map(([value, text]) => el("option", { value }, text)));
    const sides = app.desk.game?.sides ?? ["first", "second"];
    this.player = choice("Player", [["", "either player"], ...[...new Set(players)].map((name) => /** @type {[string, string]} */ ([name, name]))]);
    this.result = choice("Result", [["", "any result"], ["won", "won"], ["drawn", "drawn"], ["lost", "lost"]]);
    this.side = choice("Side", [["", "either side"], ["0", `with ${sides[0]}`], ["1", `with ${sides[1]}`]]);
    this.order = choice("Order", [["number", "by number"], ["plies", "shortest first"], ["diverges", "diverging first"]]);
    this.count = el("p", { class: "figures", role: "status" });
    this.rows = el("tbody");
    this.more = el("div", { class: "buttons" });
    const head = ["", ...sides, "Result", "Moves", "Differs after", "Opening"];
    this.element = el("dialog", { class: "list games", "aria-label": "Games of the match" }, el("h2", {}, "Games of the match"),
      el("div", { class: "tools" }, this.player, this.result, this.side, this.order), this.count,
      el("div", { class: "scroll rows", tabindex: "0", role: "region", "aria-label": "Games" },
        el("table", { class: "cross" }, el("thead", {}, el("tr", {}, ...head.map((text) => (text ? el("th", { scope: "col" }, text) : el("td"))))), this.rows)),
      this.more);
    this.element.addEventListener("close", () => this.element.remove());
  }

  open() {
    document.body.append(this.element);
    this.element.showModal();
    this.ask();
  }

  async ask() {
    const wanted = { path: this.path, player: this.player.value, result: this.result.value, side: this.side.value ? Number(this.side.value) : null, order: this.order.value, skip: this.skip };
    /** @type {{games: Listed[], skip: number, total: number} | undefined} */
    const answer = await this.app.desk.try(() => this.app.connection.ask("match-games", wanted));
    if (!answer || answer.skip !== this.skip) return;
    const { games, skip, total } = answer;
    this.count.textContent = total ? `Games ${skip + 1} to ${skip + games.length} of ${total}` : "No such games.";
    fill(this.rows, ...games.map((game) => this.row(game)));
    const page = (/** @type {string} */ text, /** @type {number} */ at) => button(text, () => {
      this.skip = at;
      this.ask();
    });
    fill(this.more, skip ? page("Before", Math.max(0, skip - 200)) : null, skip + games.length < total ? page("Next", skip + games.length) : null,
      button("Close", () => this.element.close()));
  }

  /** @param {Listed} game */
  row({ number, players, winner, plies, reason, opening, diverges }) {
    const name = (/** @type {number} */ side) => el("td", { class: winner === side ? "name won" : "name" }, players[side]);
    const result = winner === null ? "½–½" : winner === 0 ? "1–0" : "0–1";
    return el("tr", {}, el("td", {}, button(`${number}`, () => this.show(number), { "aria-label": `Open game ${number}` })), name(0), name(1),
      el("td", { title: reason }, result), el("td", {}, String(plies)), el("td", {}, diverges === null ? "–" : String(diverges)), el("td", { class: "name" }, opening));
  }

  /** @param {number} number */
  async show(number) {
    const answer = await this.app.desk.try(() => this.app.connection.ask("match-game", { path: this.path, game: this.game, number }));
    if (!answer) return;
    this.element.close();
    this.app.analyseGame(this.game, treeOf(answer.game));
  }
}
