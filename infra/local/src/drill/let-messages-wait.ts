import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pause, StartError } from '@session/kit';
import type { DrillStack } from './drill-stack.ts';
import { freeze } from './freeze.ts';
import { keepSaying, openRoom } from './room.ts';
import { holdLocks } from './sql.ts';

/** Fits into one packet of LiveKit. */
const MESSAGE_BYTES = 10_000;
const POLL_MS = 50;

export async function lockSession(stack: DrillStack): Promise<AsyncDisposable> {
  await using parts = new AsyncDisposableStack();
  const { session, room } = parts.use(await openRoom(stack));
  parts.use(
    await holdLocks(
      stack,
      `select from session_heads where session_id = '${session.id}' for update`,
    ),
  );
  parts.use(keepSaying(room, 'This message waits.'));
  return parts.move();
}

export async function fillSpool(stack: DrillStack, bytes: number): Promise<AsyncDisposable> {
  await using parts = new AsyncDisposableStack();
  const { room } = parts.use(await openRoom(stack));
  parts.use(await freeze(stack, 'postgres'));
  for (let sent = 0; sent < bytes; sent += MESSAGE_BYTES) await room.say('x'.repeat(MESSAGE_BYTES));
  return parts.move();
}

export async function takeSpoolAway(stack: DrillStack): Promise<AsyncDisposable> {
  await using parts = new AsyncDisposableStack();
  const { room } = parts.use(await openRoom(stack));
  const spool = path.join(stack.folder, 'spool', 'recorder-1', 'spool');
  const aside = `${spool}-aside`;
  // While the database works the folder is empty. A file that the recorder holds open would take messages wherever it is moved.
  await untilEmpty(spool, stack.stop);
  await rename(spool, aside);
  parts.defer(async () => {
    await rm(spool, { force: true });
    await rename(aside, spool);
  });
  await writeFile(spool, '');
  parts.use(await freeze(stack, 'postgres'));
  parts.use(keepSaying(room, 'This message waits.'));
  return parts.move();
}

async function untilEmpty(folder: string, stop: AbortSignal): Promise<void> {
  while ((await readdir(folder)).length > 0) {
    if (!(await pause(POLL_MS, stop))) throw new StartError('Stopped.');
  }
}
