import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  durationMs,
  fromWav,
  joinSounds,
  noise,
  type Pcm,
  silence,
  speechServerUrl,
  synthesizeSpeech,
  tone,
  transcribeSpeech,
  wordsWrong,
} from '@session/testing';
import { describe, expect, test } from 'vitest';

const url = speechServerUrl();
const SENTENCES = [
  'Good morning, I would like to book a table for four people.',
  'My name is John Smith and I live in London.',
  'Can we move the meeting to next Tuesday at seven?',
  'The weather is nice today, so we should go for a walk.',
  'Please send the invoice to my office by Friday.',
  'No, that is wrong. I said the second one.',
  'How long does the train to the airport take?',
  'Thank you very much for your help, goodbye.',
];
/** Programs that speak a text into a WAV file on standard output, where the machine has them. */
const SPEAKERS = {
  'espeak-ng': ['--stdout', '-v', 'en-us', '-s', '150'],
  flite: ['-voice', 'slt', '-o', '/dev/stdout', '-t'],
} as const;

describe.skipIf(url === '')('the real speech server', () => {
  test('at most 10 % of the words that it speaks are wrong when it hears them', async () => {
    expect(
      await shareWrong('Piper', async (text) => await synthesizeSpeech(url, text)),
    ).toBeLessThanOrEqual(0.1);
  });

  test.for(Object.entries(SPEAKERS))(
    'hears %j, where that is installed',
    async ([name, args], { skip }) => {
      const run = promisify(execFile);
      await run(name, ['--version']).catch(() => skip(`${name} is not installed`));
      const share = await shareWrong(name, async (text) => {
        const { stdout } = await run(name, [...args, text], { encoding: 'buffer' });
        return fromWav(stdout);
      });
      expect(share).toBeLessThanOrEqual(0.3);
    },
  );

  test('silence, a tone and a cough have no words', async () => {
    for (const sound of [silence(1000), tone(440, 1000), noise(300), silence(20)]) {
      expect(await transcribeSpeech(url, joinSounds(silence(300), sound, silence(300)))).toBe('');
    }
  });

  test('speech takes the time of its text, and half of it at double speed', async () => {
    const text = SENTENCES[0] ?? '';
    const [usual, fast] = [await synthesizeSpeech(url, text), await synthesizeSpeech(url, text, 2)];
    expect(usual.rate).toBe(24_000);
    expect(durationMs(usual)).toBeGreaterThan(2000);
    expect(durationMs(fast)).toBeLessThan(0.7 * durationMs(usual));
  });

  test('text without anything to say becomes silence, which no client takes for a failure', async () => {
    for (const text of ['...', '?']) {
      expect(durationMs(await synthesizeSpeech(url, text))).toBe(200);
    }
  });
});

async function shareWrong(speaker: string, say: (text: string) => Promise<Pcm>): Promise<number> {
  let [wrong, words, soundMs, hearingMs] = [0, 0, 0, 0];
  for (const sentence of SENTENCES) {
    const sound = await say(sentence);
    const began = performance.now();
    const heard = await transcribeSpeech(url, sound);
    hearingMs += performance.now() - began;
    soundMs += durationMs(sound);
    const result = wordsWrong(sentence, heard);
    [wrong, words] = [wrong + result.wrong, words + result.words];
  }
  const percent = ((100 * wrong) / words).toFixed(1);
  const realTime = (hearingMs / soundMs).toFixed(2);
  process.stderr.write(
    `${speaker}: ${percent} % of ${words} words wrong, ${realTime} of real time\n`,
  );
  return wrong / words;
}
