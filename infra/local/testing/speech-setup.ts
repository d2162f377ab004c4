import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { provideSpeech, SpeechUnavailable } from '../src/speech/provide-speech.ts';
import { prepareSpeech } from '../src/speech/server.ts';
import { speechCache } from '../src/speech/speech-folder.ts';
import { firstFreePort } from '../src/supervision/ports.ts';
import { Service } from '../src/supervision/service.ts';
import { startTestRun, type TestRun } from './test-run.ts';

/** The global setup of the tier `speech`: that of `npm test`, and the real speech server if this machine can run it. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  return await startTestRun(project, async (run) => {
    project.provide('speechUrl', await startSpeechServer(run));
  });
}

/** Returns the server's base URL. If there is no server, prints why, and returns an empty string. */
async function startSpeechServer({ serviceHost, stack, progress }: TestRun): Promise<string> {
  const { env } = process;
  const own = env['SPEECH_MODEL_DIR'];
  const modelFolder = own && path.resolve(own);
  const { stop } = serviceHost;
  try {
    const program = await provideSpeech({ env, stop, progress, cache: speechCache, modelFolder });
    const port = await firstFreePort([], '127.0.0.1');
    stack.use(await Service.start(prepareSpeech(program, port, env), serviceHost));
    return `http://127.0.0.1:${port}/v1`;
  } catch (error) {
    if (!(error instanceof SpeechUnavailable)) throw error;
    progress.say(`The tests with real speech are skipped: ${error.message}`);
    return '';
  }
}
