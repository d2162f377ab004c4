import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceSpec } from '../supervision/service.ts';
import { type SpeechProgram, speechEnvironment } from './provide-speech.ts';
import { speechFolder } from './speech-folder.ts';

export function prepareSpeech(
  { python, whisper, voice }: SpeechProgram,
  port: number,
  env: NodeJS.ProcessEnv,
): ServiceSpec {
  const models = ['--whisper', whisper, '--voice', voice];
  return {
    name: 'speech',
    command: python,
    args: ['-m', 'speech_server', '--port', String(port), ...models],
    options: { cwd: speechFolder, env: speechEnvironment(env) },
    hasChannel: false,
    stop: { signal: 'SIGTERM', patienceMs: 2000 },
    async ready(_, signal) {
      const health = `http://127.0.0.1:${port}/health`;
      while (!(await isHealthy(health, signal))) await sleep(100, undefined, { signal });
    },
  };
}

async function isHealthy(url: string, signal: AbortSignal): Promise<boolean> {
  const answer = await fetch(url, { signal }).catch(() => undefined);
  return answer?.status === 200;
}
