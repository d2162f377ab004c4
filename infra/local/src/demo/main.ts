import path from 'node:path';
import { parseArgs } from 'node:util';
import { AppError, loadEnvFile, runMain, StartError, secondStopSignal } from '@session/kit';
import { disposeSdk } from '@session/media';
import { loadConfig } from '../config.ts';
import { explainError } from '../explain-error.ts';
import { openProgress } from '../supervision/progress.ts';
import type { HistoryComparison } from './compare-with-history.ts';
import { runDemo } from './run.ts';
import { useStack } from './stack.ts';

const progress = openProgress(process.stdout);
const root = path.resolve(import.meta.dirname, '../../../..');

await runMain(async (stop) => {
  try {
    const { said, answered, stored, missing, faults } = await demo(stop);
    for (const fault of faults) progress.say(`✗ ${fault}`);
    const counts = `said ${said} · answered ${answered} · stored ${stored} · missing ${missing}`;
    progress.say(`\n${counts}`);
    if (faults.length > 0) process.exitCode = 1;
  } catch (error) {
    if (stop.aborted) throw new StartError('Stopped.');
    throw error instanceof AppError
      ? new StartError(`The demo ends: ${error.message}.`)
      : explainError(error);
  } finally {
    await disposeSdk();
  }
});

async function demo(stop: AbortSignal): Promise<HistoryComparison> {
  const waitMs = readWait(process.argv.slice(2)) * 1000;
  loadEnvFile();
  const config = loadConfig(process.env, root);
  const terminal = { stop, forceStop: secondStopSignal(), progress };
  await using stack = await useStack(config, terminal);
  return await runDemo({ apiUrl: stack.apiUrl, progress, waitMs, stop });
}

/** How long to wait for an answer, in seconds. */
function readWait(args: string[]): number {
  try {
    const { wait } = parseArgs({
      args,
      options: { wait: { type: 'string', default: '15' } },
    }).values;
    if (/^\d+$/.test(wait)) return Number(wait);
  } catch {
    // Unknown options end as a wrong value does.
  }
  throw new StartError('Usage: npm run demo [-- --wait <seconds to wait for an answer: 15>]');
}
