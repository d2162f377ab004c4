import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pause, sendSignal } from '@session/kit';
import type { DrillStack } from './drill-stack.ts';
import { freeze } from './freeze.ts';
import { openRoom } from './room.ts';

const POLL_MS = 100;

export async function freezeMedia(stack: DrillStack): Promise<AsyncDisposable> {
  await using parts = new AsyncDisposableStack();
  parts.use(await openRoom(stack));
  parts.use(await freeze(stack, 'media'));
  return parts.move();
}

export async function silenceWebhooks(stack: DrillStack): Promise<AsyncDisposable> {
  const file = path.join(stack.folder, 'media', 'livekit.json');
  const content = await readFile(file, 'utf8');
  const configure = async (text: string) => {
    await writeFile(file, text, { mode: 0o600 });
    await restart(stack, 'media');
    // A stack that is shutting down gets no new room.
    if (stack.stop.aborted) return;
    await using parts = new AsyncDisposableStack();
    parts.use(await openRoom(stack));
  };
  await using parts = new AsyncDisposableStack();
  parts.defer(() => configure(content));
  await configure(content.replaceAll(/http:\/\/[\d.:]+\/webhooks/g, 'http://127.0.0.1:9/webhooks'));
  return parts.move();
}

async function restart(stack: DrillStack, part: string): Promise<void> {
  const pid = (await stack.pids())[part];
  if (pid !== undefined) sendSignal(pid, 'SIGKILL');
  while ((await stack.pids())[part] === pid && (await pause(POLL_MS, stack.stop)));
}
