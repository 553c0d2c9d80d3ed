// The openings of the analysis: the name of the opening, the moves of lines and games, and the games with the position.

import { el, button, fill } from "./dom.js";
import { treeOf } from "./filing.js";

/** @typedef {import("./types.js").PositionView} PositionView */
/** @typedef {{move: string, names: string[], lines: number, games: number, wins: [number, number], draws: number, score: number | null}} OpeningMove */
/** @typedef {{number: number, ply: number | null, players: [string, string], event: string, result: string}} FoundGame */
/** @typedef {{names: string[], moves: OpeningMove[], database: string | null, games: number, found: FoundGame[]}} Explored */

export class Explorer {
  /** @param {import("./main.js").App} app @param {import("./lines.js").Acts} acts @param {(tree: import("./tree.js").Tree, game: import("./filing.js").StoredGame) => void} opened */
  constructor(app, acts, opened) {
    this.app = app;
    this.acts = acts;
    this.opened = opened;
    this.round = 0;
    this.element = el("div", { class: "explorer" });
  }

  /** Ask for the openings of a position, or show none. @param {boolean} on */
  async show(on) {
    const round = ++this.round;
    if (!on) {
      fill(this.element);
      return;
    }
    /** @type {Explored | undefined} */
    const found = await this.app.desk.try(() => this.app.connection.ask("openings", this.app.desk.where()));
    if (found && round === this.round) fill(this.element, ...this.describe(found));
  }

  /** @param {Explored} found */
  describe({ names, moves, database, games, found }) {
    const parts = [el("p", { class: "opening-name" }, names.length ? names.slice(0, 2).join(" / ") : "No named opening")];
    if (moves.length) {
      const head = ["Move", ...(database ? ["Games", "Results"] : []), "Lines", "Opening"];
      parts.push(el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Moves of openings" }, el("table", {},
        el("thead", {}, el("tr", {}, ...head.map((name) => el("th", { scope: "col" }, name)))),
        el("tbody", {}, ...moves.map((move) => this.row(move, database !== null))))));
    } else parts.push(el("p", { class: "legend" }, "No line or game goes on from here."));
    if (database) parts.push(el("p", { class: "legend" }, `${games.toLocaleString("en")} games of ${database} have this position.`));
    else parts.push(el("p", { class: "legend" }, "Start with gameforge web --games FILE to count the games of your database."));
    if (found.length) parts.push(el("div", { class: "found-games" }, ...found.map((game) => this.game(game))));
    return parts;
  }

  /** @param {OpeningMove} move @param {boolean} counted */
  row(move, counted) {
    const point = () => this.acts.point([move.move], name);
    const name = button(move.move, () => this.acts.follow([move.move]), {
      class: "line-move", pointerenter: point, focus: point, pointerleave: () => this.acts.leave(), blur: () => this.acts.leave(),
    });
    return el("tr", {}, el("td", {}, name), ...(counted ? [el("td", {}, move.games ? String(move.games) : ""), el("td", {}, this.bar(move))] : []),
      el("td", {}, move.lines ? String(move.lines) : ""), el("td", { class: "oracle" }, move.names.find((each) => /^\p{L}/u.test(each)) ?? "")); // a ballot is named by its moves
  }

  /** The results as a bar: won by the first mover, drawn, won by the second. @param {OpeningMove} move */
  bar({ wins: [first, second], draws }) {
    const sum = first + second + draws;
    if (!sum) return null;
    const game = this.app.desk.game;
    const [a, b] = game?.sides ?? ["", ""];
    const text = `${a} won ${first}, ${draws} drawn, ${b} won ${second}`;
    const colours = [game?.board?.colours[0] ?? "#f7f4ea", "#8f8b82", game?.board?.colours[1] ?? "#2a2724"];
    const parts = [first, draws, second].map((n, i) => {
      const part = el("span");
      [part.style.width, part.style.background] = [`${(100 * n) / sum}%`, colours[i]];
      return part;
    });
    return el("span", { class: "result-bar", role: "img", "aria-label": text, title: text }, ...parts);
  }

  /** @param {FoundGame} found */
  game({ number, players, event, result }) {
    return button([players.join(" - "), result, event].filter(Boolean).join(", "), () => this.open(number), { class: "moment" });
  }

  /** @param {number} number */
  async open(number) {
    const { desk, connection } = this.app;
    const answer = await desk.try(() => connection.ask("database-game", { game: desk.game?.name, number }));
    if (answer) this.opened(treeOf(answer.game), answer.game);
  }
}
