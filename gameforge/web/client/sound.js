// Sounds of moves, made by the browser itself: a click of wood, two for a capture, and two tones at the end of a game.

import { preferences } from "./preferences.js";

/** @typedef {import("./types.js").PositionView} PositionView */
/** @typedef {[from: number, to: number, begin: number, length: number]} Tone Pitches in hertz, times in seconds. */

/** @type {Record<"move" | "take" | "end", Tone[]>} */
const SOUNDS = {
  move: [[420, 140, 0, 0.07]],
  take: [[420, 140, 0, 0.06], [300, 100, 0.09, 0.09]],
  end: [[392, 392, 0.05, 0.25], [523, 523, 0.25, 0.4]],
};

/** @type {AudioContext | null} */
let context = null;

/** Which sound belongs to a move. @param {PositionView | null} before @param {PositionView} after @returns {keyof typeof SOUNDS} */
export function soundOf(before, after) {
  if (after.outcome) return "end";
  return before && after.pieces.length < before.pieces.length ? "take" : "move";
}

/** Play the sound of a move, if the person wants sounds. @param {PositionView | null} before @param {PositionView} after */
export function sound(before, after) {
  if (!preferences.sound) return;
  context ??= new AudioContext();
  context.resume(); // browsers begin with silence, until the person has clicked
  for (const [from, to, begin, length] of SOUNDS[soundOf(before, after)]) {
    const [tone, volume, start] = [context.createOscillator(), context.createGain(), context.currentTime + begin];
    tone.type = "triangle";
    tone.frequency.setValueAtTime(from, start);
    tone.frequency.exponentialRampToValueAtTime(to, start + length);
    volume.gain.setValueAtTime(0.25, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + length);
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + length);
  }
}
