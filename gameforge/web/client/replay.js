// A board that shows a game by itself: a finished one move by move, or one that is being played as it comes in.

import { Board } from "./board.js";
import { drawPicture } from "./desk.js";
import { el, fill } from "./dom.js";

/** @typedef {import("./filing.js").StoredGame} StoredGame */
/** @typedef {import("./types.js").GameView} GameView */

const PACE = 350;
const HURRY = 60;
const SOON = 3;

export class Replay {
  /** @param {import("./desk.js").Desk} desk */
  constructor(desk) {
    this.desk = desk;
    /** @type {Board | null} */
    this.board = null;
    /** @type {GameView | null} */
    this.game = null;
    /** The game to show. @type {StoredGame | null} */
    this.target = null;
    /** Moves of the target that are shown; -1: not even its initial position. */
    this.shown = -1;
    this.running = false;
    this.title = el("p", { class: "replay-title" });
    this.box = el("div", { class: "replay-board" });
    this.moves = el("p", { class: "replay-moves" });
    this.element = el("div", { class: "replay" }, this.title, this.box, this.moves);
  }

  /** Whether a finished game is being shown, which a newer one should not interrupt. */
  get busy() {
    return this.running;
  }

  /** Show a whole game from its beginning. @param {GameView} game @param {StoredGame} stored @param {string} title */
  play(game, stored, title) {
    this.begin(game, stored, title, -1);
  }

  /** Show a game that is being played: jump to its last moves, then follow. @param {GameView} game @param {StoredGame} stored @param {string} title */
  follow(game, stored, title) {
    const before = this.target;
    const same = before && this.shown >= 0 && before.start === stored.start && before.moves.slice(0, this.shown).every((move, i) => stored.moves[i] === move);
    this.begin(game, stored, title, same && this.shown <= stored.moves.length ? this.shown : Math.max(0, stored.moves.length - SOON) - 1);
  }

  /** @param {GameView} game @param {StoredGame} stored @param {string} title @param {number} shown */
  begin(game, stored, title, shown) {
    if (this.game?.name !== game.name) {
      this.game = game;
      this.board = game.board && new Board(game, () => {});
      this.board?.root.removeAttribute("id");
      fill(this.box, this.board?.root);
    }
    this.target = stored;
    this.shown = shown;
    this.title.textContent = `${title} ${stored.title} ${stored.result}`.trim();
    this.run();
  }

  /** Show moves until the board has reached the end of the target, which may grow meanwhile. */
  async run() {
    if (this.running) return;
    this.running = true;
    while (this.target && this.game && this.shown < this.target.moves.length) {
      const { target, game } = this;
      const n = this.shown + 1;
      const where = { game: game.name, ...(target.start !== null && { start: target.start }), moves: target.moves.slice(0, n) };
      const answer = await this.desk.try(() => this.desk.connection.ask("show", where));
      if (!answer) break;
      if (this.target !== target && this.shown !== n - 1) continue;
      this.draw(answer.position, n);
      this.shown = n;
      await new Promise((resolve) => setTimeout(resolve, target.moves.length - n > 2 * SOON && target.result === "" ? HURRY : PACE));
    }
    this.running = false;
  }

  /** @param {import("./types.js").PositionView} position @param {number} n */
  draw(position, n) {
    if (this.board) this.board.show(position, false, n > 0);
    else fill(this.box, drawPicture(position));
    const moves = this.target?.moves.slice(0, n) ?? [];
    this.moves.textContent = moves.slice(-8).join("  ");
  }

  stop() {
    this.target = null;
    this.shown = -1;
  }
}
