// The shapes of messages and of the page's own data, for the type checker.

/**
 * @typedef {object} BoardView The board of a game; places are (row, column).
 * @property {[number, number][]} places
 * @property {string[]} names
 * @property {"square" | "hole" | "point"} shape
 * @property {boolean} upwards
 * @property {boolean} chequered
 * @property {[number, number][]} lines
 * @property {number[][]} groups
 * @property {[string, string]} colours
 * @property {string} ground
 * @property {string[] | null} kinds Kinds of pieces that a person can place; null: positions cannot be set up by hand.
 */

/**
 * @typedef {object} GameView
 * @property {string} name
 * @property {[string, string]} sides
 * @property {BoardView | null} board
 * @property {string} suffix
 * @property {string} player
 * @property {Record<string, ([elo: number, error: number] | null)[]>} trained Trained players, with the Elo of each of their levels over the one below.
 * @property {string[]} openings The sets of openings.
 */

/** @typedef {[cell: number, side: number, kind: string]} Piece A piece of side 2 belongs to nobody. */
/** @typedef {["line" | "wall" | "arrow", from: number, to: number, side: number]} Stroke */

/**
 * @typedef {object} LegalMove
 * @property {string} text
 * @property {number[]} path Cells to click, in order.
 * @property {number[]} takes Cells from which it takes a piece of the other side.
 */

/**
 * @typedef {object} PositionView
 * @property {number} turn
 * @property {string} text
 * @property {Piece[]} pieces
 * @property {Stroke[]} strokes
 * @property {{svg: string | null, text: string} | null} picture
 * @property {[string, string]} notes
 * @property {LegalMove[]} legal
 * @property {{text: string, path: number[]} | null} last
 * @property {{winner: number | null, reason: string, text: string} | null} outcome
 */

/** @typedef {{name: string, summary: string}} GameName */

/**
 * @typedef {object} AnalysedMove
 * @property {string} move
 * @property {string[]} line
 * @property {number | null} score For the side to move; 1 and more is won; null: the player scores no positions.
 * @property {string} text
 * @property {number} depth
 * @property {string | null} short What to write on the square of a move that places a piece; null: nothing.
 * @property {string | null} known
 * @property {number | null} policy The probability that the evaluator gives to the move without a search; null: it has no policy.
 */

/** @typedef {{nodes: number, seconds: number, moves: AnalysedMove[]}} AnalysisView */

export {};
