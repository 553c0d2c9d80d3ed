// A move in advance: the cells that a person clicks while the opponent thinks. It is played at once if it is legal then.

import { click } from "./choosing.js";
import { say } from "./desk.js";
import { preferences } from "./preferences.js";

/** @typedef {import("./types.js").PositionView} PositionView */

export class Premove {
  /** @param {import("./desk.js").Desk} desk @param {() => number | null} side The person's side; null: both, or none. */
  constructor(desk, side) {
    this.desk = desk;
    this.side = side;
    /** The first and the last cell, or the only one. @type {number[]} */
    this.cells = [];
  }

  /** Take a click on a cell while the opponent is to move; return whether it belongs to a move in advance. @param {number} cell */
  pick(cell) {
    const { view, board } = this.desk;
    const side = this.side();
    if (!preferences.premove || !board || !view || view.outcome || side === null || view.turn === side) return false;
    const own = view.pieces.some(([place, owner]) => place === cell && owner === side);
    if (this.cells.length === 1 && !own && this.moves(view, side)) this.cells = [this.cells[0], cell];
    else if (this.cells.includes(cell)) this.cells = [];
    else this.cells = [cell];
    board.plan(this.cells);
    if (this.cells.length) say(`In advance: ${this.cells.map((each) => board.view.names[each]).join(" to ")}`);
    return true;
  }

  /** Whether the first cell has a piece of the person. @param {PositionView} view @param {number} side */
  moves(view, side) {
    return view.pieces.some(([place, owner]) => place === this.cells[0] && owner === side);
  }

  /** The move that was planned, if it is the person's turn and exactly one legal move has these cells; the plan is then forgotten. @param {PositionView} view */
  take(view) {
    const { board } = this.desk;
    if (!this.cells.length || !board || view.turn !== this.side()) return null;
    const [first, last] = this.cells;
    this.forget();
    let { picked, moves } = click(view.legal, board.view.groups, [], first);
    if (!moves.length && picked.length && last !== undefined) ({ moves } = click(view.legal, board.view.groups, picked, last));
    const whole = last === undefined || moves.every(({ path }) => path.includes(last));
    return moves.length === 1 && whole ? moves[0].text : null;
  }

  forget() {
    this.cells = [];
    this.desk.board?.plan([]);
  }
}
