import { expect, test } from 'vitest';
import { levelOf, SpeechDetector } from './speech-detector.ts';

const FRAME_MS = 20;

/** Returns for each level whether it was speech. Each level lasts for its `ms`. */
function detect(...parts: readonly (readonly [levelDb: number, ms: number])[]): boolean[] {
  const detector = new SpeechDetector(FRAME_MS);
  return parts.map(([levelDb, ms]) => {
    let isSpeech = false;
    for (let at = 0; at < ms; at += FRAME_MS) isSpeech = detector.isSpeech(levelDb);
    return isSpeech;
  });
}

test('the level of silence is below all levels, of the loudest sound it is 0 dB', () => {
  expect(levelOf(new Int16Array(480))).toBe(Number.NEGATIVE_INFINITY);
  expect(levelOf(new Int16Array())).toBe(Number.NEGATIVE_INFINITY);
  expect(levelOf(Int16Array.from({ length: 480 }, () => -32_768))).toBeCloseTo(0);
});

test('speech is speech from its first frame, and between its syllables while it is not too quiet', () => {
  const parts = [
    [-60, 1000],
    [-30, 20],
    [-48, 20],
    [-52, 20],
    [-48, 20],
    [-30, 20],
  ] as const;
  expect(detect(...parts)).toEqual([false, true, true, false, false, true]);
});

test.each([
  [-70, 'silence'],
  [-58, 'comfort noise'],
  [-46, 'a quiet fan'],
  [-30, 'a loud hum'],
  [-15, 'a machine'],
])('%d dB for more than 5 s is background, such as %s, and 12 dB more is speech', (levelDb) => {
  const speechDb = Math.max(levelDb + 12, -44);
  expect(detect([levelDb, 5600], [speechDb, 200], [levelDb, 20])).toEqual([false, true, false]);
});

test('after a hum has ended, quiet speech is noticed again', () => {
  expect(detect([-20, 10_000], [-60, 20], [-40, 20])).toEqual([false, false, true]);
});

test('speech with pauses stays speech for minutes', () => {
  const talk = Array.from(
    { length: 200 },
    () =>
      [
        [-25, 600],
        [-60, 60],
      ] as const,
  ).flat();
  const found = detect(...talk);
  expect(found.filter((_, index) => index % 2 === 0)).not.toContain(false);
  expect(found.filter((_, index) => index % 2 === 1)).not.toContain(true);
});
