import { durationMs, joinSounds, noise, type Pcm, silence, speech, tone } from '@session/testing';
import { expect, test } from 'vitest';
import { type UtteranceFrames, UtteranceRecorder } from './utterance-recorder.ts';

const SAMPLES = 480;

/** Records the sounds. Returns how long each utterance is, in milliseconds. */
function record(...sounds: readonly Pcm[]): number[] {
  const recorder = new UtteranceRecorder();
  const { samples } = joinSounds(...sounds);
  const utterances: UtteranceFrames[] = [];
  for (let offset = 0; offset + SAMPLES <= samples.length; offset += SAMPLES) {
    const utterance = recorder.push(samples.slice(offset, offset + SAMPLES));
    if (utterance) utterances.push(utterance);
  }
  return utterances.map(({ length }) => length * 20);
}

/** Returns sound at a constant level: a hum of 50 Hz with overtones. */
function hum(ms: number, amplitude: number): Pcm {
  const { samples, rate } = tone(50, ms, amplitude);
  const overtone = tone(150, ms, amplitude / 2).samples;
  return { samples: samples.map((sample, index) => sample + (overtone[index] ?? 0)), rate };
}

test('an utterance ends with a pause of 0.8 s, not with a shorter one, and keeps its beginning', () => {
  const said = joinSounds(speech(1000), silence(700), speech(500));
  const [first, second, ...more] = record(
    silence(500),
    said,
    silence(900),
    tone(400, 300),
    silence(900),
  );
  // Each utterance is 200 ms to 500 ms longer, because it includes silence before it and the pause after it.
  expect(first).toBeGreaterThanOrEqual(durationMs(said));
  expect(first).toBeLessThanOrEqual(durationMs(said) + 500);
  expect(second).toBeGreaterThanOrEqual(300);
  expect(second).toBeLessThanOrEqual(800);
  expect(more).toEqual([]);
});

test('of 40 s of speech the first 30 s are kept, and what is said after a pause is the next utterance', () => {
  expect(record(speech(40_000), silence(1000), speech(1000), silence(1000))).toEqual([
    30_000,
    expect.toSatisfy((ms: number) => ms >= 1000 && ms < 1600),
  ]);
});

test.each<[string, Pcm[]]>([
  ['silence', [silence(20_000)]],
  ['comfort noise', [noise(20_000, 0.002)]],
  ['a click', [silence(500), noise(40), silence(1000)]],
  ['a hum from the beginning on', [hum(30_000, 0.1)]],
  ['a hum that begins later and ends', [silence(3000), hum(20_000, 0.3), silence(2000)]],
  ['a fan that is switched on', [silence(3000), noise(20_000, 0.05), silence(2000)]],
])('%s is no utterance', (_, sounds) => {
  expect(record(...sounds)).toEqual([]);
});

test('speech over a hum is an utterance, which ends although the hum goes on', () => {
  const background = hum(20_000, 0.02).samples;
  const voice = joinSounds(silence(8000), speech(2000), silence(10_000));
  const samples = voice.samples.map((sample, index) => sample + (background[index] ?? 0));
  const [ms, ...more] = record({ ...voice, samples });
  expect(ms).toBeGreaterThan(1900);
  expect(ms).toBeLessThan(2600);
  expect(more).toEqual([]);
});

test('a microphone that is gone ends its utterance, and no second time', () => {
  const recorder = new UtteranceRecorder();
  const { samples } = speech(1000);
  for (let offset = 0; offset < samples.length; offset += SAMPLES) {
    expect(recorder.push(samples.slice(offset, offset + SAMPLES))).toBeUndefined();
  }
  expect(recorder.end()).toHaveLength(50);
  expect(recorder.end()).toBeUndefined();
});
