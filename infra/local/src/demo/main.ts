import path from 'node:path';
import { parseArgs } from 'node:util';
import { isApiError, isConnectionError } from '@session/client';
import { AppError, runMain, StartError, secondStopSignal } from '@session/kit';
import { disposeSdk } from '@session/media';
import { loadConfig } from '../config.ts';
import { explainError } from '../explain-error.ts';
import { loadEnvFileBehindProxy } from '../stack/bypass-proxy.ts';
import { openProgress } from '../supervision/progress.ts';
import { type DemoResult, runDemo } from './run.ts';
import { runPlanDemo } from './run-plan.ts';
import { useStack } from './stack.ts';

const progress = openProgress(process.stdout);
const root = path.resolve(import.meta.dirname, '../../../..');

await runMain(async (stop) => {
  try {
    const { counts, faults } = await demo(stop);
    for (const fault of faults) progress.say(`✗ ${fault}`);
    const named = Object.entries(counts).map(([name, count]) => `${name} ${count}`);
    progress.say(`\n${named.join(' · ')}`);
    if (faults.length > 0) process.exitCode = 1;
  } catch (error) {
    if (stop.aborted) throw new StartError('Stopped.');
    if (error instanceof AppError || isApiError(error) || isConnectionError(error)) {
      throw new StartError(`The demo failed: ${error.message}.`);
    }
    throw explainError(error);
  } finally {
    await disposeSdk();
  }
});

async function demo(stop: AbortSignal): Promise<DemoResult> {
  const { wait, plan } = readArguments(process.argv.slice(2));
  loadEnvFileBehindProxy();
  const config = loadConfig(process.env, root);
  const terminal = { stop, forceStop: secondStopSignal(), progress };
  await using stack = await useStack(config, terminal);
  const run = plan ? runPlanDemo : runDemo;
  return await run({ apiUrl: stack.apiUrl, progress, waitMs: wait * 1000, stop });
}

function readArguments(args: string[]): { wait: number; plan: boolean } {
  try {
    const options = {
      wait: { type: 'string', default: '15' },
      plan: { type: 'boolean', default: false },
    } as const;
    const { wait, plan } = parseArgs({ args, options }).values;
    if (/^\d+$/.test(wait)) return { wait: Number(wait), plan };
  } catch {
    // An unknown option ends like a wrong value.
  }
  throw new StartError(
    'Usage: npm run demo [-- [--plan] [--wait <seconds to wait for an answer, 15 by default>]]',
  );
}
