import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const signals = fileURLToPath(new URL('./signals.ts', import.meta.url));

test('stopped by a parent that goes, before it is listened for or after', async () => {
  const early = 'while (process.connected) await new Promise((resolve) => setTimeout(resolve, 5));';
  expect(await stopReason(early)).toBe('disconnect');
  expect(await stopReason('')).toBe('disconnect');
});

/** Gives why a process stops that does `work` before it asks, and whose parent lets it go at once. */
async function stopReason(work: string): Promise<string> {
  const program = `${work}
    const { stopSignal } = await import(${JSON.stringify(signals)});
    const stop = stopSignal();
    const patience = setTimeout(() => {}, 10_000);
    if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve));
    clearTimeout(patience);
    console.log(stop.reason);`;
  const args = ['--input-type=module', '-e', program];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  child.disconnect();
  return (await text(child.stdout ?? [])).trim();
}
