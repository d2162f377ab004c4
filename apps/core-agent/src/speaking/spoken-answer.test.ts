import { setImmediate } from 'node:timers/promises';
import { aborted } from '@session/kit';
import { expect, test } from 'vitest';
import { type PlayingTrack, SpokenAnswer } from './spoken-answer.ts';

const RATE = 1000;

/** A track that plays nothing by itself. `play` sets how much of the queue has been played. */
class FakeTrack implements PlayingTrack {
  readonly rate = RATE;
  readonly written: number[] = [];
  readonly #queue: number[] = [];
  #isBroken = false;

  get queuedMs(): number {
    return (this.#queue.length / RATE) * 1000;
  }

  async write(samples: Int16Array, signal?: AbortSignal): Promise<void> {
    if (this.#isBroken) throw new Error('the room is gone');
    this.#queue.push(...samples);
    const isStopped = () => signal?.aborted ?? false;
    while (this.#queue.length > 100 && !isStopped()) await setImmediate();
  }

  clear(): void {
    this.#queue.length = 0;
  }

  break(): void {
    this.#isBroken = true;
    this.#queue.length = 0;
  }

  play(): void {
    this.written.push(...this.#queue.splice(0, 20));
  }
}

interface Answering {
  readonly answer: SpokenAnswer;
  readonly heard: () => string;
  readonly failures: unknown[];
}

/**
 * Begins an answer. Its sound has a sample for each millisecond, 10 samples for each character, numbered through all
 * sentences.
 */
function begin(track: FakeTrack | undefined, fails = (_text: string) => false): Answering {
  let heard = '';
  let sample = 0;
  const failures: unknown[] = [];
  const answer = new SpokenAnswer({
    track: Promise.resolve(track),
    heard: async (words) => {
      heard += words;
      await setImmediate();
    },
    spokenOf: async (written) => {
      if (written.startsWith('Unspeakable')) throw new Error('no filter');
      return written;
    },
    async *synthesize(text, signal) {
      await setImmediate();
      if (text.startsWith('Late')) await aborted(signal);
      signal.throwIfAborted();
      if (fails(text)) throw new Error('no sound');
      yield Int16Array.from({ length: 10 * text.length }, () => (sample += 1));
    },
    failed: (error) => failures.push(error),
    firstSound: () => {},
  });
  return { answer, heard: () => heard, failures };
}

async function playUntil(track: FakeTrack, isDone: () => boolean): Promise<void> {
  while (!isDone()) {
    track.play();
    await setImmediate();
  }
}

test('an answer that two hold goes on when both let it, where it was cut: every sample is played, and every word heard', async () => {
  const track = new FakeTrack();
  const { answer, heard } = begin(track);
  await answer.write('This is one sentence. And this is the next one.');
  const ended = answer.end();
  await playUntil(track, () => track.written.length >= 200);
  const [ann, bob] = [{}, {}];
  answer.hold(ann);
  answer.hold(bob);
  answer.resume(ann);
  const before = heard();
  for (let round = 0; round < 20; round += 1) await setImmediate();
  expect([track.queuedMs, heard()]).toEqual([0, before]);
  answer.resume(bob);
  let isOver = false;
  void ended.then(() => (isOver = true));
  await playUntil(track, () => isOver);
  expect(heard()).toBe('This is one sentence. And this is the next one.');
  expect(track.written).toEqual(Array.from({ length: 460 }, (_, index) => index + 1));
});

test('a stopped answer ends with the words that were heard', async () => {
  const track = new FakeTrack();
  const { answer, heard } = begin(track);
  await answer.write('This is one sentence. And this is the next one.');
  const ended = answer.end();
  await playUntil(track, () => heard() !== '');
  await answer.stop();
  const words = heard();
  await ended;
  expect('This is one sentence. '.startsWith(words)).toBe(true);
  expect(heard()).toBe(words);
});

test('from the sentence on whose sound cannot be made, the answer is written at once', async () => {
  const track = new FakeTrack();
  const { answer, heard, failures } = begin(track, (text) => text.startsWith('And'));
  await answer.write('This is one sentence. And this is the next one. That is all.');
  let isOver = false;
  void answer.end().then(() => (isOver = true));
  await playUntil(track, () => isOver);
  expect(heard()).toBe('This is one sentence. And this is the next one. That is all.');
  expect(failures).toEqual([new Error('no sound')]);
});

test('a sentence that cannot be made fit to be spoken is written, and so is the rest', async () => {
  const { answer, heard, failures } = begin(new FakeTrack());
  await answer.write('Unspeakable as this is. And this is the next one.');
  await answer.end();
  expect(heard()).toBe('Unspeakable as this is. And this is the next one.');
  expect(failures).toEqual([new Error('no filter')]);
});

test.each([0, 20, 200, 240, 440])(
  'when nobody listens any more after %i ms, the rest is written, and no failure is reported',
  async (ms) => {
    const track = new FakeTrack();
    const { answer, heard, failures } = begin(track);
    await answer.write('This is one sentence. And this is the next one.');
    const ended = answer.end();
    await playUntil(track, () => track.written.length >= ms);
    answer.mute();
    expect(answer.isSounding).toBe(false);
    await ended;
    expect(heard()).toBe('This is one sentence. And this is the next one.');
    expect(failures).toEqual([]);
  },
);

test('when nobody listens any more while a sound is still to come, the answer is written whole and in order', async () => {
  const track = new FakeTrack();
  const { answer, heard, failures } = begin(track);
  await answer.write('This is one sentence. Late is the next one. That');
  await playUntil(track, () => track.written.length === 210);
  answer.mute();
  await answer.write(' is all.');
  await answer.end();
  expect(heard()).toBe('This is one sentence. Late is the next one. That is all.');
  expect(failures).toEqual([]);
});

test('when nobody listens any more while the model writes, the words before come first', async () => {
  const track = new FakeTrack();
  const { answer, heard } = begin(track);
  await answer.write('This is one sentence. And this');
  await playUntil(track, () => track.written.length === 210);
  answer.mute();
  await answer.write(' is the next one.');
  await answer.end();
  expect(heard()).toBe('This is one sentence. And this is the next one.');
});

test.each([
  ['ends it', true],
  ['lets it go on', false],
])(
  'an answer that a person holds, who leaves, waits for what they said, which %s',
  async (_, isStopped) => {
    const track = new FakeTrack();
    const { answer, heard } = begin(track);
    await answer.write('This is one sentence. And this is the next one.');
    const ended = answer.end();
    await playUntil(track, () => track.written.length >= 200);
    const ann = {};
    answer.hold(ann);
    const before = heard();
    answer.mute();
    for (let round = 0; round < 20; round += 1) await setImmediate();
    expect(heard()).toBe(before);
    if (isStopped) await answer.stop();
    answer.resume(ann);
    await ended;
    const whole = 'This is one sentence. And this is the next one.';
    expect(heard()).toBe(isStopped ? before : whole);
  },
);

test('an answer that nobody listens to is written as it comes', async () => {
  const { answer, heard } = begin(undefined);
  await answer.write('This is one sentence. And this');
  await expect.poll(heard).toBe('This is one sentence. ');
  await answer.write(' is the next one.');
  await answer.end();
  expect(heard()).toBe('This is one sentence. And this is the next one.');
});

test('the end of an answer whose room is gone throws', async () => {
  const track = new FakeTrack();
  const { answer, heard } = begin(track);
  await answer.write('This is one sentence. And this is the next one.');
  const ended = answer.end().catch(String);
  await playUntil(track, () => heard() !== '');
  track.break();
  expect(await ended).toBe('Error: the room is gone');
});
