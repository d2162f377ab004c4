import path from 'node:path';
import { runMain } from '@session/kit';
import { openProgress } from '@session/local';
import { disposeSdk } from '@session/media';
import { benchAgents } from './agents/bench-agents.ts';
import { benchHttp } from './http/bench-http.ts';
import { HELP, readArguments } from './read-arguments.ts';
import { benchRecorder } from './recorder/bench-recorder.ts';

const ROUND_MS = 1500;
const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, '.cache/bench');
const stackFolder = path.resolve(root, process.env['STACK_DIR'] ?? '.local');

await runMain(async (stop) => {
  const asked = readArguments(process.argv.slice(2));
  if (!asked) {
    process.stdout.write(HELP);
    return;
  }
  const progress = openProgress(process.stderr);
  const { rounds } = asked;
  const options = { rounds, roundMs: ROUND_MS, progress, stop };
  const results =
    asked.bench === 'agents'
      ? benchAgents(stackFolder, options)
      : asked.bench === 'http'
        ? benchHttp(folder, asked, options)
        : benchRecorder(folder, asked.parts, { ...options, minutes: asked.minutes });
  for await (const result of results) process.stdout.write(`${result}\n`);
  await disposeSdk();
});
