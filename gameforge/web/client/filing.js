// Games from files and to files, positions as text, and pictures: the menu of the analysis.

import { DatabaseGames } from "./databasegames.js";
import { complain, say } from "./desk.js";
import { button, el } from "./dom.js";
import { askPaste } from "./paste.js";
import { download, picture, toGif, toPng } from "./pictures.js";
import { setUp } from "./setup.js";
import { Tree } from "./tree.js";

/** @typedef {import("./tree.js").Node} Node */

/**
 * @typedef {object} StoredHead
 * @property {string} title
 * @property {string} event
 * @property {string} result
 * @property {string | null} start
 * @property {[string, string]} players
 * @property {Record<string, string>} tags
 * @property {string | null} [game] Its name, of a game from a file that is not of the kind on the board.
 * @property {import("./tree.js").Ending} ending
 */

/**
 * @typedef {object} Noted A line with what is noted on its moves, by number.
 * @property {string[]} moves
 * @property {Record<string, string>} comments
 * @property {Record<string, string>} marks
 * @property {Record<string, number[]>} glyphs
 * @property {Record<string, Noted[]>} variations
 * @property {string} [after]
 */

/** @typedef {StoredHead & Noted} StoredGame */

/** A game from a file as a tree. @param {StoredGame} game @returns {Tree} */
export function treeOf(game) {
  const tree = new Tree(game.start);
  tree.heading = { tags: game.tags, players: game.players };
  tree.ending = game.ending;
  tree.root.comment = game.comments["0"] ?? "";
  add(tree, tree.root, game, 0);
  return tree;
}

/** Add a line and its variations after a node. @param {Tree} tree @param {Node} from @param {Noted} line @param {number} level Of the variation that the line is; 0: the main line. */
function add(tree, from, line, level) {
  let here = from;
  line.moves.forEach((move, i) => {
    const next = tree.add(here, move, i ? 0 : level);
    next.comment = line.comments[String(i + 1)] ?? "";
    next.mark = line.marks[String(i)] ?? "";
    next.glyphs = line.glyphs[String(i)] ?? [];
    if (level && !i) [next.before, next.after] = [line.comments["0"] ?? "", line.after ?? ""];
    for (const other of line.variations[String(i)] ?? []) add(tree, here, other, (i ? 0 : level) + 1);
    here = next;
  });
}

/** What is noted on a line, from a node on; variations are those of its nodes. @param {Node[]} line @returns {Omit<Noted, "moves">} */
export function notes(line) {
  const comments = Object.fromEntries(line.flatMap((node, i) => (node.comment ? [[String(i), node.comment]] : [])));
  const marks = Object.fromEntries(line.slice(1).flatMap((node, i) => (node.mark ? [[String(i), node.mark]] : [])));
  const glyphs = Object.fromEntries(line.slice(1).flatMap((node, i) => (node.glyphs.length ? [[String(i), node.glyphs]] : [])));
  const variations = Object.fromEntries(line.slice(0, -1).flatMap((node, i) => {
    const others = node.children.filter((child) => child !== line[i + 1]);
    return others.length ? [[String(i), nested(node, others)]] : [];
  }));
  return { comments, marks, glyphs, variations };
}

/** Variations, each with those that replace its own first move. @param {Node} parent @param {Node[]} others @returns {Noted[]} */
function nested(parent, others) {
  /** @type {Noted[]} */
  const whole = [];
  /** @type {{level: number, line: Noted}[]} */
  let open = [];
  for (const first of others) {
    const line = noted(parent, first);
    const depth = Math.max(1, first.level);
    open = open.filter(({ level }) => level < depth);
    const outer = open.at(-1)?.line.variations;
    (outer ? (outer["0"] ??= []) : whole).push(line);
    open.push({ level: depth, line });
  }
  return whole;
}

/** A variation that begins with a child of a node. @param {Node} parent @param {Node} first @returns {Noted} */
function noted(parent, first) {
  const line = [first];
  while (line[line.length - 1].children.length) line.push(line[line.length - 1].children[0]);
  // The parent's other children belong to the line that this one leaves.
  const own = notes([{ ...parent, comment: first.before, children: [first] }, ...line]);
  return { moves: line.map(({ move }) => move), ...own, ...(first.after && { after: first.after }) };
}

/** The fields of a request that saves a game: its main line with everything that is noted. @param {Tree} tree */
export function saved(tree) {
  const { heading, ending } = tree;
  return { notes: notes(tree.line(tree.root)), ...(heading && { tags: heading.tags }), ...ending };
}

export class Filing {
  /** @param {import("./main.js").App} app @param {(tree: Tree, game: StoredGame | null) => void} opened */
  constructor(app, opened) {
    this.app = app;
    this.desk = app.desk;
    this.opened = opened;
    this.chooser = el("input", { type: "file", hidden: true, "aria-label": "File of games", change: () => this.load() });
    this.element = el("div", { class: "tools" }, this.chooser,
      button("Load", () => this.chooser.click()),
      button("Games", () => new DatabaseGames(this.app, this.opened).open(), { title: "The games of your database, or of a large file that was loaded" }),
      button("Paste", () => askPaste(this)),
      button("Save", () => this.save()),
      button("Position", () => this.askPosition()),
      button("Page", () => this.save(true), { title: "The game as an HTML page, which opens without a server" }),
      button("Picture", () => this.askPicture()));
  }

  /** Send the chosen file to the server, and let the person choose one of its games. */
  async load() {
    const file = this.chooser.files?.[0];
    if (!file || !this.desk.game) return;
    this.chooser.value = "";
    const address = `/games?${new URLSearchParams({ game: this.desk.game.name, name: file.name })}`;
    try {
      const answer = await fetch(address, { method: "POST", body: file });
      const found = await answer.json();
      if (!answer.ok) complain(found.error);
      else if (found.database) new DatabaseGames(this.app, this.opened, found.database, found.game).open();
      else this.choose(found.games, found.notices);
    } catch {
      complain("The server cannot be reached, or the file is too large.");
    }
  }

  /** @param {StoredGame[]} games @param {string[]} notices */
  choose(games, notices) {
    if (games.length === 1) {
      if (notices.length) complain(notices.join("; "));
      this.opened(treeOf(games[0]), games[0]);
      return;
    }
    const dialog = el("dialog", { class: "list", "aria-label": "Games" }, el("h2", {}, `${games.length} games`));
    const open = (/** @type {StoredGame} */ game) => {
      dialog.close();
      this.opened(treeOf(game), game);
    };
    dialog.append(el("div", { class: "rows" }, ...games.map((game, i) =>
      button(`${i + 1}. ${game.title} ${game.event} ${game.result}`.trim(), () => open(game)))), button("Cancel", () => dialog.close()));
    show(dialog);
    if (notices.length) complain(notices.join("; "));
  }

  /** Save the game: its main line, with the variations. page: as an HTML page. */
  async save(page = false) {
    const { tree, players } = this.desk;
    const last = tree.line(tree.root).at(-1) ?? tree.root;
    const request = { ...this.desk.where(last), players: tree.heading ? ["", ""] : players.map(({ name }) => name), ...saved(tree), page };
    const answer = await this.desk.try(() => this.app.connection.ask("save", request));
    if (answer) download(answer.name, new Blob([answer.text], { type: page ? "text/html" : "text/plain" }));
  }

  /** Show the position as text, to copy it or to set up another one. */
  askPosition() {
    const text = el("textarea", { rows: 3, spellcheck: "false", "aria-label": "Position" });
    text.value = this.desk.view?.text ?? "";
    const copy = async () => {
      text.select();
      await navigator.clipboard?.writeText(text.value).catch(() => document.execCommand("copy"));
      say("Copied");
    };
    const dialog = el("dialog", { "aria-label": "Position" }, el("h2", {}, "Position"), text);
    const set = async () => {
      if (await this.open(text.value.trim())) dialog.close();
    };
    const byHand = () => {
      dialog.close();
      setUp(this.app, (position) => this.open(position));
    };
    dialog.append(el("div", { class: "buttons" },
      this.desk.game?.board?.kinds ? button("By hand", byHand) : "",
      button("Copy", copy), button("Cancel", () => dialog.close()), button("Set up", set, { class: "primary" })));
    show(dialog);
  }

  /** Open a position; "" is the initial one. Returns whether the server accepts it. @param {string} position */
  async open(position) {
    const tree = new Tree(position || null);
    const accepted = this.desk.game !== null && (await this.desk.accepts(this.desk.game.name, tree));
    if (accepted) this.opened(tree, null);
    return accepted;
  }

  askPicture() {
    const board = this.desk.game?.board;
    if (!board) {
      complain("This game has no board to draw.");
      return;
    }
    const flipped = this.desk.flipped;
    const dialog = el("dialog", { class: "small", "aria-label": "Picture" }, el("h2", {}, "Picture"));
    const close = (/** @type {() => Promise<void>} */ work) => async () => {
      dialog.close();
      await work();
    };
    const svgFile = (/** @type {string} */ source) => new Blob([source], { type: "image/svg+xml" });
    const now = () => picture(board, this.desk.view ? [this.desk.view] : [], flipped);
    dialog.append(
      button("SVG of the position", close(async () => download("position.svg", svgFile(now())))),
      button("PNG of the position", close(async () => download("position.png", await toPng(now())))),
      button("Animated SVG of the game", close(async () => {
        const views = await this.views();
        if (views) download("game.svg", svgFile(picture(board, views, flipped)));
      })),
      button("Animated GIF of the game", close(async () => {
        const views = await this.views();
        if (views) download("game.gif", await toGif(views.map((view) => picture(board, [view], flipped))));
      })),
      button("Cancel", () => dialog.close()));
    show(dialog);
  }

  /** All positions of the line. */
  async views() {
    return this.desk.try(async () => {
      const views = [];
      for (const node of this.desk.tree.line()) {
        node.view ??= /** @type {import("./types.js").PositionView} */ ((await this.app.connection.ask("show", this.desk.where(node))).position);
        views.push(node.view);
      }
      return views;
    });
  }
}

/** @param {HTMLDialogElement} dialog */
function show(dialog) {
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
