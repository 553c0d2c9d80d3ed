import assert from "node:assert/strict";
import { test } from "node:test";

import { Tree } from "../../gameforge/web/client/tree.js";

function sample() {
  const tree = new Tree();
  tree.play("a");
  tree.play("b");
  tree.current = tree.root.children[0];
  tree.play("c");
  return tree;
}

test("a second move in a position becomes a variation", () => {
  const tree = sample();
  assert.deepEqual(tree.moves(), ["a", "c"]);
  assert.deepEqual(tree.root.children[0].children.map(({ move }) => move), ["b", "c"]);
  assert.equal(tree.isMain(tree.current), false);
  tree.current = tree.root;
  assert.deepEqual(tree.line().map(({ move }) => move), ["", "a", "b"]);
});

test("a move that is there already is followed", () => {
  const tree = sample();
  tree.current = tree.root;
  tree.play("a");
  assert.equal(tree.root.children.length, 1);
});

test("a variation can become the main line, and can be deleted", () => {
  const tree = sample();
  const variation = tree.current;
  tree.promote(variation);
  assert.equal(tree.isMain(variation), true);
  tree.remove(variation);
  assert.deepEqual(tree.moves(), ["a"]);
  tree.remove(tree.root);
  assert.deepEqual(tree.moves(), ["a"], "the initial position stays");
});

test("a tree is the same after it has been stored", () => {
  const tree = sample();
  tree.current.comment = "why";
  tree.current.mark = "?!";
  const again = Tree.from(JSON.parse(JSON.stringify(tree.stored())));
  assert.deepEqual(again.stored(), tree.stored());
  assert.deepEqual(again.moves(), ["a", "c"]);
  assert.equal(again.current.comment, "why");
});
