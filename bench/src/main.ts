import path from 'node:path';
import { runMain, StartError, secondStopSignal } from '@session/kit';
import { openProgress } from '@session/local';
import { disposeSdk } from '@session/media';
import { benchAgents } from './agents/bench-agents.ts';
import { benchClaims } from './claims/bench-claims.ts';
import { benchConsole } from './console/bench-console.ts';
import { benchConversation } from './conversation/bench-conversation.ts';
import { benchFleet } from './fleet/bench-fleet.ts';
import { benchHttp } from './http/bench-http.ts';
import { benchMask } from './mask/bench-mask.ts';
import type { BenchOptions } from './measure/bench-options.ts';
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
  const { rounds } = asked;
  const options = { rounds, roundMs: ROUND_MS, progress, stop };
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
  if (asked.bench === 'agents') return benchAgents(stackFolder, options);
  if (asked.bench === 'console') return benchConsole(folder, asked.parts, options);
  if (asked.bench === 'conversation') {
    return benchConversation(stackFolder, asked, options);
  }
  if (asked.bench === 'http') return benchHttp(folder, asked, options);
  if (asked.bench === 'claims') return benchClaims(folder, options);
  if (asked.bench === 'fleet') return benchFleet(folder, options);
  if (asked.bench === 'mask') return benchMask(options);
  if (asked.bench === 'service') {
    const forceStop = secondStopSignal();
    return benchService({ ...asked, ...options, folder: `${folder}-service`, forceStop });
  }
  const { parts, minutes, former } = asked;
  return benchRecorder(folder, parts, { ...options, minutes, former });
}
