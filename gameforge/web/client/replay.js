// A game that plays itself on a small board.

import { Board } from "./board.js";
import { fill, el } from "./dom.js";

/** @typedef {import("./filing.js").StoredGame} StoredGame */
/** @typedef {import("./types.js").GameView} GameView */

const PACE = 350;

export class Replay {
  /** @param {import("./desk.js").Desk} desk */
  constructor(desk) {
    this.desk = desk;
    this.round = 0;
    /** @type {Board | null} */
    this.board = null;
    this.title = el("p", { class: "replay-title" });
    this.box = el("div", { class: "replay-board" });
    this.element = el("div", { class: "replay" }, this.title, this.box);
  }

  /** Whether a game is being shown. */
  busy = false;

  /** Show a game move by move; a later call ends this one. @param {GameView} game @param {StoredGame} stored @param {string} title */
  async play(game, stored, title) {
    const round = ++this.round;
    this.busy = true;
    this.title.textContent = `${title} ${stored.title} ${stored.result}`.trim();
    if (!game.board) {
      fill(this.box, el("p", {}, stored.moves.join(" ")));
      this.busy = false;
      return;
    }
    if (this.board?.game.name !== game.name) {
      this.board = new Board(game, () => {});
      this.board.root.removeAttribute("id");
      fill(this.box, this.board.root);
    }
    for (let n = 0; n <= stored.moves.length; n++) {
      const where = { game: game.name, ...(stored.start !== null && { start: stored.start }), moves: stored.moves.slice(0, n) };
      const answer = await this.desk.try(() => this.desk.connection.ask("show", where));
      if (!answer || round !== this.round) return;
      this.board.show(answer.position, false, n > 0);
      await new Promise((resolve) => setTimeout(resolve, PACE));
      if (round !== this.round) return;
    }
    this.busy = false;
  }

  stop() {
    this.round += 1;
    this.busy = false;
  }
}
