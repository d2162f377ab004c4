import { execFile } from 'node:child_process';
import { glob, lstat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { openImageStorage } from './image-storage.ts';
import { testImages } from './test-images.ts';

const execute = promisify(execFile);

interface ImageEntry {
  /** From the root of the image, without a leading slash. */
  readonly path: string;
  readonly mode: number;
}

export interface ImageFiles {
  readonly root: string;
  readonly entries: readonly ImageEntry[];
  /** Unpacked, each file once however many links it has. */
  readonly bytes: number;
}

export async function readImageFiles(tag: string): Promise<ImageFiles> {
  const storage = await openImageStorage(testImages().storage);
  const root = await storage.run('podman', 'image', 'mount', tag);
  onTestFinished(async () => {
    await storage.run('podman', 'image', 'unmount', '--force', tag);
  });
  const entries: ImageEntry[] = [];
  const sizes = new Map<number, number>();
  for await (const file of glob('**', { cwd: root })) {
    const { mode, ino, size } = await lstat(path.join(root, file));
    entries.push({ path: file, mode });
    sizes.set(ino, size);
  }
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  return { root, entries, bytes };
}

export async function filesWith(text: string, root: string): Promise<string[]> {
  const args = ['--recursive', '--files-with-matches', '--fixed-strings', '--text', '--', text];
  // grep ends with 1 where it finds nothing.
  return await execute('grep', [...args, root]).then(
    ({ stdout }) => stdout.trim().split('\n'),
    (error: { code?: unknown }) => {
      if (error.code === 1) return [];
      throw error;
    },
  );
}
