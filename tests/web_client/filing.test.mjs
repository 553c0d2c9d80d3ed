// Games with variations: from a file to a tree and back.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { notes, saved, treeOf } from "../../gameforge/web/client/filing.js";
import { Tree } from "../../gameforge/web/client/tree.js";

const BARE = { comments: {}, marks: {}, glyphs: {}, variations: {} };
const GAME = {
  title: "", event: "", result: "", start: null, players: ["Ann", "?"],
  tags: { Event: "Club", Black: "Ann" }, ending: { finished: true, winner: 0, reason: "" },
  moves: ["a", "b", "c"],
  comments: { 0: "before", 2: "[%clk 0:04:10] after b" },
  marks: { 1: "?" },
  glyphs: { 2: [1, 14] },
  variations: {
    1: [
      { ...BARE, moves: ["d", "e"], comments: { 0: "better", 1: "after d" }, marks: { 1: "!" }, variations: { 0: [{ ...BARE, moves: ["b"] }], 1: [{ ...BARE, moves: ["f"] }] }, after: "so it was lost" },
      { ...BARE, moves: ["g"] },
    ],
  },
};

test("variations become branches of the tree", () => {
  const tree = treeOf(GAME);
  const [a] = tree.root.children;
  assert.deepEqual(a.children.map(({ move }) => move), ["b", "d", "b", "g"]);
  assert.deepEqual(a.children[1].children.map(({ move }) => move), ["e", "f"]);
  assert.equal(a.children[1].comment, "after d");
  assert.equal(tree.current, tree.root);
});

test("a tree is saved with everything that is noted on it", () => {
  const { title, event, result, start, players, moves, tags, ending, ...noted } = GAME;
  const tree = treeOf(GAME);
  assert.deepEqual(saved(tree), { notes: noted, tags, ...ending });
  const again = Tree.from(JSON.parse(JSON.stringify(tree.stored())));
  assert.deepEqual(saved(again), saved(tree), "also after it has been stored");
});

test("the main line is saved, whatever is on the board", () => {
  const tree = treeOf(GAME);
  tree.current = tree.root.children[0].children[3];
  assert.deepEqual(saved(tree), saved(treeOf(GAME)));
});

test("a game that had not ended ends as the rules say when a move is added", () => {
  const tree = treeOf({ ...GAME, ending: { finished: false, winner: null, reason: "" } });
  assert.equal(saved(tree).finished, false);
  tree.current = tree.line().at(-1);
  tree.play("h");
  assert.equal(saved(tree).finished, undefined);
});

test("games of files are saved as they were", { skip: !process.env.GAMEFORGE_GAMES }, () => {
  const lines = readFileSync(process.env.GAMEFORGE_GAMES ?? "", "utf-8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
  assert.ok(lines.length > 0);
  for (const { title, event, result, start, players, moves, tags, ending, ...noted } of lines) {
    const tree = treeOf({ title, event, result, start, players, moves, tags, ending, ...noted });
    const request = JSON.parse(JSON.stringify(saved(Tree.from(JSON.parse(JSON.stringify(tree.stored()))))));
    assert.deepEqual(tree.line(tree.root).slice(1).map((node) => node.move), moves);
    assert.deepEqual(request, { notes: plain(noted), tags, ...ending });
  }
});

/** Without what is empty: the page leaves it out. */
function plain({ after, variations, ...line }) {
  const lines = Object.fromEntries(Object.entries(variations).map(([i, others]) => [i, others.map(plain)]));
  return { ...line, variations: lines, ...(after && { after }) };
}

test("another line through the tree makes the main line a variation", () => {
  const tree = treeOf(GAME);
  const other = tree.root.children[0].children[3];
  const { variations } = notes(tree.line(other));
  assert.deepEqual(variations["1"].map(({ moves }) => moves), [["b", "c"], ["d", "e"]]);
});
