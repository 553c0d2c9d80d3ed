// Clicks on cells become a move: cell by cell along its path, or from its first cell straight to its last.

/** @typedef {import("./types.js").LegalMove} LegalMove */

/**
 * @typedef {object} Chosen
 * @property {number[]} picked The cells clicked so far; empty after a move, or if the click meant nothing.
 * @property {LegalMove[]} moves The move to play, or several among which the person must choose; empty: none yet.
 */

/**
 * The moves whose paths begin with the picked cells.
 * @param {LegalMove[]} legal
 * @param {number[]} picked
 */
export function beginning(legal, picked) {
  return legal.filter(({ path }) => path.length >= picked.length && picked.every((cell, i) => path[i] === cell));
}

/**
 * The cells that can be clicked next.
 * @param {LegalMove[]} legal
 * @param {number[]} picked
 * @returns {Set<number>}
 */
export function targets(legal, picked) {
  const next = beginning(legal, picked).filter(({ path }) => path.length > picked.length);
  const cells = new Set(next.map(({ path }) => path[picked.length]));
  if (picked.length) for (const move of next) if (landsLast(move, picked)) cells.add(move.path[move.path.length - 1]);
  return cells;
}

/**
 * The result of a click on a cell.
 * @param {LegalMove[]} legal
 * @param {number[][]} groups Cells that are the same for a click.
 * @param {number[]} picked
 * @param {number} cell
 * @returns {Chosen}
 */
export function click(legal, groups, picked, cell) {
  const next = targets(legal, picked);
  const group = groups.find((cells) => cells.includes(cell)) ?? [];
  const meant = next.has(cell) ? cell : group.find((other) => next.has(other));
  if (meant === undefined) {
    return picked.length && !picked.includes(cell) ? click(legal, groups, [], cell) : { picked: [], moves: [] };
  }
  const longer = [...picked, meant];
  const begun = beginning(legal, longer);
  if (!begun.length) return { picked: [], moves: beginning(legal, picked).filter((move) => move.path.at(-1) === meant) };
  const whole = begun.some(({ path }) => path.length === longer.length);
  const only = begun.length === 1 && (picked.length > 0 || landsFirst(begun[0]));
  return whole || only ? { picked: [], moves: begun } : { picked: longer, moves: [] };
}

/**
 * Whether the move is chosen but for the piece that it takes, as after a man has closed a mill.
 * @param {LegalMove[]} legal
 * @param {number[]} picked
 */
export function isTaking(legal, picked) {
  const begun = picked.length ? beginning(legal, picked) : [];
  return begun.length > 0 && begun.every(({ path, takes }) => path.length > picked.length && path.slice(picked.length).every((cell) => takes.includes(cell)));
}

/**
 * Why a click on a piece begins no move; "" if there is no piece.
 * @param {import("./types.js").PositionView} position
 * @param {[string, string]} sides
 * @param {number} cell
 * @param {boolean} active Whether the person may move.
 */
export function whyNot({ pieces, turn, legal, outcome }, sides, cell, active) {
  const piece = pieces.find(([place]) => place === cell);
  if (!piece) return "";
  if (outcome) return "The game is over.";
  if (piece[1] !== turn) return `It is ${sides[turn]}'s turn.`;
  if (!active) return "It is not your turn.";
  if (legal.length && legal.every(({ takes }) => takes.length)) return "You must capture, and this piece cannot.";
  return "This piece cannot move.";
}

/**
 * Whether a piece lands on the last cell, so that a click on it can mean the whole move.
 * @param {LegalMove} move
 * @param {number[]} picked
 */
function landsLast(move, picked) {
  const last = /** @type {number} */ (move.path.at(-1));
  return !move.takes.includes(last) && !picked.includes(last);
}

/** Whether only removals follow the first cell, as when a man is placed. @param {LegalMove} move */
function landsFirst(move) {
  return move.path.slice(1).every((cell) => move.takes.includes(cell));
}
