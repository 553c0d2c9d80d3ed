// A game as a tree of moves: the first child of a node is the main line, the others are variations.

/**
 * @typedef {object} Node
 * @property {string} move The move that led here; "" at the root.
 * @property {Node | null} parent
 * @property {Node[]} children
 * @property {string} comment
 * @property {string} mark
 * @property {number[]} glyphs Numeric annotation glyphs.
 * @property {string} before Comment before the first move of a variation.
 * @property {string} after Comment behind the variation that begins here.
 * @property {number} level Of a variation: 1 if it replaces the main line, more if it replaces a variation before it that has a smaller level.
 * @property {import("./types.js").PositionView | null} view The position, once the server has sent it.
 * @property {{score: number, text: string} | null} score For the first mover.
 */

/** @typedef {Partial<Pick<Node, "comment" | "mark" | "glyphs" | "before" | "after" | "level">> & {move: string, children?: Stored[]}} Stored */

/** @typedef {{finished: boolean, winner: number | null, reason: string}} Ending How a game ended, whatever the rules say. */

/** @typedef {{tags: Record<string, string>, players: [string, string]}} Heading Of a game from a file: its tags, and its players as the page names them. */

/** @param {string} move @param {Node | null} parent @returns {Node} */
function node(move, parent) {
  return { move, parent, children: [], comment: "", mark: "", glyphs: [], before: "", after: "", level: 0, view: null, score: null };
}

export class Tree {
  /** @param {string | null} start The initial position as text; null: that of the game. */
  constructor(start = null) {
    this.start = start;
    this.root = node("", null);
    this.current = this.root;
    /** Null: the game is played here. @type {Heading | null} */
    this.heading = null;
    /** Null: as the rules say. @type {Ending | null} */
    this.ending = null;
  }

  /** The moves from the initial position to a node. @param {Node} [to] @returns {string[]} */
  moves(to = this.current) {
    return this.path(to).slice(1).map((each) => each.move);
  }

  /** The nodes from the root to a node. @param {Node} [to] @returns {Node[]} */
  path(to = this.current) {
    const nodes = [];
    for (let here = /** @type {Node | null} */ (to); here; here = here.parent) nodes.unshift(here);
    return nodes;
  }

  /** The line through a node: the moves that led to it, and the main line after it. @param {Node} [through] */
  line(through = this.current) {
    const nodes = this.path(through);
    for (let here = through; here.children.length; here = here.children[0]) nodes.push(here.children[0]);
    return nodes;
  }

  /** Go to the position after a move, which becomes a variation if it is new. @param {string} move @returns {Node} */
  play(move) {
    let next = this.current.children.find((child) => child.move === move);
    if (!next) {
      next = this.add(this.current, move, Math.min(1, this.current.children.length));
      if (this.ending?.finished === false) this.ending = null; // the rules may now say how it ends
    }
    this.current = next;
    return next;
  }

  /** Add a move after a node, as the last of its variations, whether or not it is there already. @param {Node} parent @param {string} move @param {number} level */
  add(parent, move, level) {
    const next = node(move, parent);
    next.level = level;
    parent.children.push(next);
    return next;
  }

  /** Whether a node is on the main line. @param {Node} which */
  isMain(which) {
    return this.path(which).every((each) => !each.parent || each.parent.children[0] === each);
  }

  /** Make the line that leads to a node the main line. @param {Node} which */
  promote(which) {
    for (const each of this.path(which)) {
      if (!each.parent) continue;
      const siblings = each.parent.children;
      const place = siblings.indexOf(each);
      if (!place) continue;
      siblings.splice(place, 1);
      siblings.unshift(each);
      siblings.forEach((sibling, i) => (sibling.level = Math.min(1, i)));
    }
  }

  /** Delete a node and what follows it; the position before it becomes current if it was within. @param {Node} which */
  remove(which) {
    if (!which.parent) return;
    if (this.path().includes(which)) this.current = which.parent;
    which.parent.children.splice(which.parent.children.indexOf(which), 1);
  }

  /** The tree as plain data, with the places of the moves to the current node among their siblings. */
  stored() {
    const current = this.path().slice(1).map((each) => each.parent?.children.indexOf(each) ?? 0);
    return { start: this.start, heading: this.heading, ending: this.ending, root: stored(this.root), current };
  }

  /** @param {{start: string | null, heading?: Heading | null, ending?: Ending | null, root: Stored, current?: number[]}} data @returns {Tree} */
  static from(data) {
    const tree = new Tree(data.start);
    tree.heading = data.heading ?? null;
    tree.ending = data.ending ?? null;
    restore(tree.root, data.root);
    for (const place of data.current ?? []) tree.current = tree.current.children[place] ?? tree.current;
    return tree;
  }
}

/** @param {Node} from @returns {Stored} */
function stored(from) {
  const children = from.children.map(stored);
  return {
    move: from.move,
    ...(from.comment && { comment: from.comment }),
    ...(from.mark && { mark: from.mark }),
    ...(from.glyphs.length && { glyphs: from.glyphs }),
    ...(from.before && { before: from.before }),
    ...(from.after && { after: from.after }),
    ...(from.level && { level: from.level }),
    ...(children.length && { children }),
  };
}

/** @param {Node} to @param {Stored} from */
function restore(to, from) {
  to.comment = from.comment ?? "";
  to.mark = from.mark ?? "";
  to.glyphs = from.glyphs ?? [];
  to.before = from.before ?? "";
  to.after = from.after ?? "";
  to.level = from.level ?? 0;
  for (const child of from.children ?? []) {
    const made = node(child.move, to);
    to.children.push(made);
    restore(made, child);
  }
}
