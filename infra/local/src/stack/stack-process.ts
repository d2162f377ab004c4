import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { pause, StartError } from '@session/kit';
import { readStackFile, type StackFile } from './stack-file.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const main = path.join(root, 'infra/local/src/main.ts');
const POLL_MS = 100;
const KEPT_CHARACTERS = 10_000;

/**
 * Runs a stack on free ports, without the console, and returns its description once it is up. It stops at disposal, and
 * when this process is killed. Throws a StartError with its last output.
 */
export async function runStack(
  folder: string,
  env: NodeJS.ProcessEnv,
  stop: AbortSignal,
): Promise<{ readonly file: StackFile } & AsyncDisposable> {
  const child = spawn(process.execPath, ['--conditions=@source', main], {
    cwd: root,
    // Its own process group: Ctrl-C reaches only this process, which then stops the stack.
    detached: true,
    // Through the channel, the stack notices the end of this process.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      ...process.env,
      DATABASE_URL: '',
      MEDIA_URL: '',
      PORT: '0',
      CONSOLE: 'off',
      ...env,
      STACK_DIR: folder,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output = `${output}${chunk.toString()}`.slice(-KEPT_CHARACTERS);
    });
  }
  const exit = once(child, 'exit');
  await using parts = new AsyncDisposableStack();
  parts.defer(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await exit;
  });
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new StartError(`The stack did not start:\n${output}`);
    const file = await readStackFile(folder);
    if (file && file.pids['supervisor'] === child.pid) {
      const owned = parts.move();
      return { file, [Symbol.asyncDispose]: () => owned.disposeAsync() };
    }
    if (!(await pause(POLL_MS, stop))) throw new StartError('Stopped.');
  }
}
