// Where the cells of a board are drawn, and the colours that follow from those of the game.

export const UNIT = 100;
const MARGIN = { square: 0.5, hole: 0.58, point: 0.75 };

/** @typedef {import("./types.js").BoardView} BoardView */

export class Geometry {
  /** @param {BoardView} board @param {boolean} flipped */
  constructor(board, flipped) {
    const rows = board.places.map(([row]) => row);
    const columns = board.places.map(([, column]) => column);
    const [top, bottom, left, right] = [Math.min(...rows), Math.max(...rows), Math.min(...columns), Math.max(...columns)];
    this.rows = bottom - top;
    this.columns = right - left;
    this.margin = MARGIN[board.shape];
    this.board = board;
    /** @type {[number, number][]} */
    this.centres = board.places.map(([row, column]) => {
      const x = column - left;
      const y = board.upwards ? bottom - row : row - top;
      return flipped ? this.at(this.columns - x, this.rows - y) : this.at(x, y);
    });
  }

  /** @param {number} x @param {number} y @returns {[number, number]} */
  at(x, y) {
    return [(x + this.margin) * UNIT, (y + this.margin) * UNIT];
  }

  get width() {
    return (this.columns + 2 * this.margin) * UNIT;
  }

  get height() {
    return (this.rows + 2 * this.margin) * UNIT;
  }

  /**
   * Whether a cell of a chequered board is dark. The lower left corner is, unless all cells have the other colour: a game
   * on the squares of one colour is played on the dark ones.
   * @param {number} cell
   */
  isDark(cell) {
    return this.isEven(cell) || !this.board.places.some((_, each) => this.isEven(each));
  }

  /** Whether a cell has the colour of the lower left corner. @param {number} cell */
  isEven(cell) {
    const [row, column] = this.board.places[cell];
    const rows = this.board.places.map(([each]) => each);
    const up = this.board.upwards ? row - Math.min(...rows) : Math.max(...rows) - row;
    return (up + column) % 2 === 0;
  }

  /**
   * The nearest cell in a direction, for the arrow keys; the same cell if there is none. Left and right stay in the row
   * if they can; up and down go to the next row, also if its cells are half a step aside, as on dark squares.
   * @param {number} from
   * @param {number} dx
   * @param {number} dy
   */
  neighbour(from, dx, dy) {
    const [x, y] = this.centres[from];
    let best = from;
    let least = Infinity;
    this.centres.forEach(([a, b], cell) => {
      const along = (a - x) * dx + (b - y) * dy;
      const across = Math.abs((a - x) * dy) + Math.abs((b - y) * dx);
      const cost = along + (dx ? 2 : 0.9) * across;
      if (along > 0 && cost < least) [best, least] = [cell, cost];
    });
    return best;
  }
}

/**
 * Mix two colours such as #1d3f5c.
 * @param {string} one
 * @param {string} other
 * @param {number} share Of the other colour.
 */
export function mix(one, other, share) {
  const parts = [1, 3, 5].map((i) => {
    const [a, b] = [one, other].map((colour) => parseInt(colour.slice(i, i + 2), 16));
    return Math.round(a + (b - a) * share).toString(16).padStart(2, "0");
  });
  return `#${parts.join("")}`;
}

/** Whether a colour is light, so that it needs dark lines. @param {string} colour */
export function isLight(colour) {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
  return 0.3 * r + 0.59 * g + 0.11 * b > 140;
}
