import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';

const main = path.join(import.meta.dirname, '../src/demo/main.ts');

/** Runs the demo for the stack in `folder`, and returns its exit code, its last line and its whole output. */
export async function runTestDemo(
  folder: string,
  args: readonly string[] = [],
): Promise<{ code: unknown; lastLine: string | undefined; output: string }> {
  const child = spawn(process.execPath, ['--conditions=@source', main, ...args], {
    env: { ...process.env, DATABASE_URL: '', MEDIA_URL: '', STACK_DIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [[code], output] = await Promise.all([once(child, 'exit'), text(child.stdout)]);
  return { code, lastLine: output.trim().split('\n').at(-1), output };
}
