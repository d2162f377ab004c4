import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { StartError } from '@session/kit';
import type { StackConfig } from '../config.ts';
import { startStack, type Terminal } from '../stack/stack.ts';
import { readStackFile } from '../stack/stack-file.ts';
import { ProcessTable } from '../supervision/process-table.ts';

/**
 * Returns the API of the stack that runs in the configured folder. Otherwise starts a stack on free ports in a subfolder,
 * until disposal. Throws a StartError when that stack does not start.
 */
export async function useStack(
  config: StackConfig,
  terminal: Terminal,
): Promise<{ readonly apiUrl: string } & AsyncDisposable> {
  const { say } = terminal.progress;
  // A stack that was killed leaves both files behind, and another process may have its pid.
  const isRunning = await ProcessTable.isClaimed(path.join(config.folder, 'processes.json'));
  const running = isRunning ? await readStackFile(config.folder) : undefined;
  if (running) {
    const { apiUrl } = running;
    say(`Using the running stack: ${apiUrl}`);
    return { apiUrl, async [Symbol.asyncDispose]() {} };
  }
  say('No stack is running (`npm start`): the demo starts its own.');
  const folder = path.join(config.folder, 'demo');
  await mkdir(folder, { recursive: true });
  await using parts = new AsyncDisposableStack();
  const table = await ProcessTable.claim(path.join(folder, 'processes.json'));
  if (!table)
    throw new StartError(`Another demo is running in ${folder}: try again when it has ended.`);
  parts.use(table);
  const port = { wanted: 0, variable: undefined };
  const own = { ...config, folder, port, console: undefined };
  const stack = parts.use(await startStack(own, table, terminal));
  parts.defer(() => say('\nStopping the stack …'));
  const owned = parts.move();
  return { apiUrl: stack.file.apiUrl, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
