import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { plainProgress } from '../supervision/progress.ts';
import { type SpeechContext, startSpeech } from './speech.ts';

test('without Python the stack has no speech server, and one sentence says so, with the remedy', async () => {
  const { context, said, cache } = await makeContext({ modelFolder: undefined });
  expect(await startSpeech(context, { PATH: cache }, cache)).toEqual({ address: undefined });
  expect(said.join('')).toBe(
    'SPEECH=local has no effect, agents only write: Python 3.10 or newer is needed, and there is none on the PATH: install it and start again.\n',
  );
});

test('where nobody asks for speech, nothing is looked for, and nothing is said', async () => {
  const { context, said, cache } = await makeContext(undefined);
  expect(await startSpeech(context, { PATH: cache }, cache)).toEqual({ address: undefined });
  expect(said).toEqual([]);
});

async function makeContext(speech: SpeechContext['config']['speech']) {
  const cache = await mkdtemp(path.join(tmpdir(), 'speech-'));
  onTestFinished(async () => await rm(cache, { recursive: true }));
  const said: string[] = [];
  const context: SpeechContext = {
    config: { speech },
    progress: plainProgress((text) => said.push(text)),
    stop: new AbortController().signal,
    portOf: async () => 0,
    start: async () => await Promise.reject(new Error('nothing is started')),
  };
  return { context, said, cache };
}
