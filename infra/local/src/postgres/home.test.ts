import { mkdir, mkdtemp, readlink, realpath, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { StartError } from '@session/kit';
import { expect, onTestFinished, test } from 'vitest';
import { providePostgresHome, removePostgresHome } from './home.ts';

// Another user starts PostgreSQL as itself, in a folder that it can enter.
const isRoot = process.getuid?.() === 0;

test('data that is gone is named, and no other takes its place', async () => {
  const folder = await closedFolder();
  const [link, target] = [path.join(folder, 'postgres'), path.join(folder, 'gone')];
  await symlink(target, link);
  await expect(providePostgresHome(link)).rejects.toThrow(
    new StartError(
      `${target} is gone, and with it the data of the database: restore it from a copy. To begin without the data, remove the link ${link}.`,
    ),
  );
  expect(await readlink(link)).toBe(target);
});

test.skipIf(!isRoot)('data of another user is kept, and the user is told what to do', async () => {
  const folder = await closedFolder();
  const [link, target] = [path.join(folder, 'postgres'), path.join(folder, 'of-root')];
  await mkdir(target);
  await symlink(target, link);
  await expect(providePostgresHome(link)).rejects.toThrow('chown -R ');
  expect(await readlink(link)).toBe(target);
});

test.skipIf(!isRoot)(
  'data outside of a checkout of root is where no system deletes old files',
  async () => {
    const link = path.join(await closedFolder(), 'postgres');
    const { folder, user } = await providePostgresHome(link);
    expect(folder).toMatch(/^\/var\/lib\/session-service-/);
    expect(await readlink(link)).toBe(folder);
    expect((await stat(folder)).uid).toBe(user?.uid);
    expect((await providePostgresHome(link)).folder).toBe(folder);
  },
);

/** Makes a folder that other users cannot enter, like root's home. */
async function closedFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'postgres-home-')));
  onTestFinished(async () => {
    await removePostgresHome(path.join(folder, 'postgres'));
    await rm(folder, { recursive: true });
  });
  return folder;
}
