// Games with variations: from a file to a tree and back.

import assert from "node:assert/strict";
import { test } from "node:test";
import { notes, treeOf } from "../../gameforge/web/client/filing.js";

const GAME = {
  title: "", event: "", result: "", start: null, players: ["", ""],
  moves: ["a", "b", "c"],
  comments: { 0: "before", 2: "after b" },
  marks: { 1: "?" },
  variations: {
    1: [
      { moves: ["d", "e"], comments: { 1: "after d" }, marks: { 1: "!" }, variations: { 1: [{ moves: ["f"], comments: {}, marks: {}, variations: {} }] } },
      { moves: ["g"], comments: {}, marks: {}, variations: {} },
    ],
  },
};

test("variations become branches of the tree", () => {
  const tree = treeOf(GAME);
  const [a] = tree.root.children;
  assert.deepEqual(a.children.map(({ move }) => move), ["b", "d", "g"]);
  assert.deepEqual(a.children[1].children.map(({ move }) => move), ["e", "f"]);
  assert.equal(a.children[1].comment, "after d");
  assert.equal(tree.current, tree.root);
});

test("a tree is saved with everything that is noted on it", () => {
  const { comments, marks, variations } = notes(treeOf(GAME).line());
  assert.deepEqual({ comments, marks, variations }, { comments: GAME.comments, marks: GAME.marks, variations: GAME.variations });
});

test("another line through the tree makes the main line a variation", () => {
  const tree = treeOf(GAME);
  const other = tree.root.children[0].children[2];
  const { variations } = notes(tree.line(other));
  assert.deepEqual(variations["1"].map(({ moves }) => moves), [["b", "c"], ["d", "e"]]);
});
