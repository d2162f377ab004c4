import { expect, test } from 'vitest';
import { SpeechEcho } from './speech-echo.ts';

/** Returns a room that accepts this many frames of an agent's sound, and no more until its connection ends. */
function openRoom(frames = Number.POSITIVE_INFINITY) {
  const ended = Promise.withResolvers<string>();
  const heard: number[] = [];
  const track = {
    async write([first = 0]: Int16Array) {
      if (heard.length >= frames) throw new Error(await ended.promise);
      heard.push(first);
    },
    async untilPlayed() {},
    clear() {},
  };
  const lose = () => ended.resolve('UNKNOWN_REASON');
  return { heard, lose, closed: ended.promise, openVoice: async () => track };
}

/** Returns one second of a person's speech, as frames of constant `level`. */
function heardFrom(identity: string, level: number) {
  const frames = Array.from({ length: 50 }, () => new Int16Array(320).fill(level));
  const participant = { identity, name: identity, sid: identity, kind: 'standard' };
  const from = async function* () {
    yield* frames;
  };
  return { participant, frames: from(), isOfAgent: false };
}

test('what a lost connection cuts off is said again in the next room, and whoever turned out to be an agent is not', async () => {
  await using echo = new SpeechEcho(() => {});
  const [first, second] = [openRoom(10), openRoom()];
  echo.joined(first);
  const bob = heardFrom('bob', 20_000);
  for (const heard of [heardFrom('ann', 10_000), bob, heardFrom('cem', 30_000)]) {
    echo.hearAudio(heard);
  }
  await expect.poll(() => first.heard).toHaveLength(10);
  first.lose();
  bob.isOfAgent = true;
  echo.joined(second);
  const said = Array.from({ length: 100 }, (_, frame) => (frame < 50 ? 10_000 : 30_000));
  await expect.poll(() => second.heard).toEqual(said);
  expect(new Set(first.heard)).toEqual(new Set([10_000]));
  echo.joined(openRoom());
  await echo.finish();
});

test('speech is said back when nothing more comes of it, as with a muted microphone', async () => {
  await using echo = new SpeechEcho(() => {});
  const room = openRoom();
  echo.joined(room);
  const ann = heardFrom('ann', 10_000);
  const { frames: spoken } = ann;
  const frames = async function* () {
    yield* spoken;
    await room.closed;
  };
  echo.hearAudio({ ...ann, frames: frames() });
  await expect.poll(() => room.heard).toHaveLength(50);
  room.lose();
  await echo.finish();
});
