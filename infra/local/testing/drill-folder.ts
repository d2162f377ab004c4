import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { removePostgresHome } from '../src/postgres/home.ts';

const testFolder = path.resolve(import.meta.dirname, '../../../.cache/drill-test');

/** Makes a folder for a stack. Disposal removes it. */
export async function makeDrillFolder(
  name: string,
): Promise<{ readonly folder: string } & AsyncDisposable> {
  const folder = path.join(testFolder, `${name}-${process.pid}`);
  await mkdir(folder, { recursive: true });
  return {
    folder,
    async [Symbol.asyncDispose]() {
      await removePostgresHome(path.join(folder, 'postgres'));
      await rm(folder, { recursive: true });
    },
  };
}
