import path from 'node:path';
import { runMain } from '@session/kit';
import { openProgress } from '@session/local';
import { benchHttp } from './http/bench-http.ts';
import { HELP, readArguments } from './read-arguments.ts';

const ROUND_MS = 1500;
const folder = path.resolve(import.meta.dirname, '../../.cache/bench');

await runMain(async (stop) => {
  const asked = readArguments(process.argv.slice(2));
  if (!asked) {
    process.stdout.write(HELP);
    return;
  }
  const progress = openProgress(process.stderr);
  const options = { rounds: asked.rounds, roundMs: ROUND_MS, progress, stop };
  for await (const result of benchHttp(folder, asked, options)) process.stdout.write(`${result}\n`);
});
