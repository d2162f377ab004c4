import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { RoomMessage } from '@session/contract/room';
import { v7 as uuidv7 } from 'uuid';
import type { HistoryWriter } from '../src/history/history-writer.ts';
import { type HistoryDeps, openHistory } from '../src/history/open-history.ts';
import { createLog } from '../src/process/log.ts';
import { tempFolder } from './recorder-process.ts';

const run = promisify(execFile);

export function textMessage(sessionId: string, content: string): RoomMessage {
  return {
    id: uuidv7(),
    sessionId,
    role: 'user',
    status: 'complete',
    kind: 'text',
    content,
    metadata: { kind: 'text', participant: null, source: 'user_text', rawId: null },
    receivedAt: Date.now(),
  };
}

export interface TestHistoryWriter extends AsyncDisposable {
  readonly folder: string;
  readonly writer: HistoryWriter;
}

export async function openTestHistoryWriter(
  deps: Pick<HistoryDeps, 'queries'> & Partial<HistoryDeps>,
): Promise<TestHistoryWriter> {
  await using stack = new AsyncDisposableStack();
  const { folder } = stack.use(await tempFolder());
  const writer = stack.use(
    await openHistory({
      reportLoss: async () => {},
      log: createLog('silent'),
      timing: { flushMs: 1, spoolMs: 1000, refuseMs: 600_000 },
      spoolFolder: folder,
      spoolBytes: 1e9,
      ...deps,
    }),
  );
  const owned = stack.move();
  return { folder, writer, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** A folder on a disk that takes nothing more until `free`. */
export interface FullDisk extends AsyncDisposable {
  readonly folder: string;
  free(): Promise<void>;
}

/**
 * Makes a small disk and fills it. A user who may not mount a disk gets a folder that may not be written, which takes
 * nothing either.
 */
export async function fillDisk(): Promise<FullDisk> {
  const folder = await mkdtemp(path.join(tmpdir(), 'disk-'));
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) {
    await mkdir(path.join(folder, 'spool'));
    await chmod(path.join(folder, 'spool'), 0o500);
    return {
      folder,
      free: () => chmod(path.join(folder, 'spool'), 0o700),
      [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
    };
  }
  await run('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]);
  const filler = path.join(folder, 'filler');
  await writeFile(filler, Buffer.alloc(128 * 1024)).catch(() => {});
  return {
    folder,
    free: () => rm(filler),
    async [Symbol.asyncDispose]() {
      await run('umount', [folder]);
      await rm(folder, { recursive: true });
    },
  };
}
