import path from 'node:path';
import { runMain, StartError, secondStopSignal } from '@session/kit';
import { openProgress } from '@session/local';
import { disposeSdk } from '@session/media';
import { benchConversation } from './conversation/bench-conversation.ts';
import { benchHttp } from './http/bench-http.ts';
import type { BenchOptions } from './measure/servers.ts';
import { type BenchRequest, HELP, readArguments } from './read-arguments.ts';
import { benchRecorder } from './recorder/bench-recorder.ts';
import { benchService } from './service/bench-service.ts';

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
  const options = { rounds: asked.rounds, roundMs: ROUND_MS, progress, stop };
  try {
    for await (const result of benchOf(asked, options)) process.stdout.write(`${result}\n`);
  } catch (error) {
    // What was under way fails when it is stopped.
    throw stop.aborted && !(error instanceof StartError) ? new StartError('Stopped.') : error;
  } finally {
    await disposeSdk();
  }
});

function benchOf(asked: BenchRequest, options: BenchOptions): AsyncIterable<string> {
  if (asked.bench === 'http') return benchHttp(folder, asked, options);
  if (asked.bench === 'recorder') return benchRecorder(folder, asked, options);
  if (asked.bench === 'conversation') return benchConversation(stackFolder, asked, options);
  const forceStop = secondStopSignal();
  return benchService({ ...asked, ...options, folder: `${folder}-service`, forceStop });
}
