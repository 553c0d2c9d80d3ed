import assert from "node:assert/strict";
import { test } from "node:test";

import { Connection, Lost, Refused } from "../../gameforge/web/client/connection.js";

class Socket extends EventTarget {
  readyState = 1;
  sent = [];
  send(text) {
    this.sent.push(JSON.parse(text));
  }
  answer(message) {
    this.dispatchEvent(Object.assign(new Event("message"), { data: JSON.stringify(message) }));
  }
}

function connected() {
  const sockets = [];
  const connection = new Connection(() => {
    sockets.push(new Socket());
    return sockets.at(-1);
  }, () => {});
  return { connection, sockets };
}

test("answers find their requests", async () => {
  const { connection, sockets: [socket] } = connected();
  const updates = [];
  const [one, two] = [connection.ask("show", { n: 1 }), connection.ask("analyse", {}, { update: (each) => updates.push(each.depth) })];
  assert.deepEqual(socket.sent.map(({ id, do: name }) => [id, name]), [[1, "show"], [2, "analyse"]]);
  socket.answer({ id: 2, done: false, depth: 5 });
  socket.answer({ id: 2, done: true });
  socket.answer({ id: 1, done: true, value: 7 });
  assert.equal((await one).value, 7);
  await two;
  assert.deepEqual(updates, [5]);
});

test("a refusal is an error with the server's sentence", async () => {
  const { connection, sockets: [socket] } = connected();
  const asked = connection.ask("show");
  socket.answer({ id: 1, error: "no such game" });
  await assert.rejects(asked, (error) => error instanceof Refused && error.message === "no such game");
});

test("an aborted request is cancelled on the server", async () => {
  const { connection, sockets: [socket] } = connected();
  const control = new AbortController();
  const asked = connection.ask("analyse", {}, { signal: control.signal });
  control.abort();
  await assert.rejects(asked, { name: "AbortError" });
  assert.deepEqual(socket.sent.at(-1), { cancel: 1 });
  socket.answer({ id: 1, done: true });
});

test("a lost connection ends what was asked, and is tried again", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { connection, sockets } = connected();
  const asked = connection.ask("show");
  sockets[0].readyState = 3;
  sockets[0].dispatchEvent(new Event("close"));
  await assert.rejects(asked, Lost);
  await assert.rejects(connection.ask("show"), Lost);
  t.mock.timers.tick(500);
  assert.equal(sockets.length, 2);
});
