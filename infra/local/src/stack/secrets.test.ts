import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { demoSecret, provideSecrets } from './secrets.ts';

/** The file of a version without a console. */
const FORMER = {
  databasePassword: 'd',
  jwtSecret: 'j',
  encryptionKey: 'e',
  mediaApiKey: 'k',
  mediaApiSecret: 's',
};

test('the first start makes secrets, which only their owner can read; the next one has the same', async () => {
  const file = await makeFile();
  const secrets = await secretsIn(file);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await secretsIn(file)).toEqual(secrets);
  // bcrypt ignores all bytes after the 72nd.
  expect(secrets.demoPassword.length).toBeGreaterThanOrEqual(32);
  expect(secrets.demoPassword.length).toBeLessThanOrEqual(72);
});

test('the file of an earlier version keeps all that it has, and gains a demo password', async () => {
  const file = await makeFile(FORMER);
  const { demoPassword, ...others } = await secretsIn(file);
  expect(others).toEqual({ ...FORMER, demoEmail: null });
  expect(await contentOf(file)).toEqual({ ...others, demoPassword });
});

test('the fields of a later version stay in the file', async () => {
  const file = await makeFile({ ...FORMER, later: { a: 1 } });
  const secrets = await secretsIn(file);
  await demoSecret(file, secrets).keepEmail('demo@console.example');
  expect(await contentOf(file)).toMatchObject({ ...FORMER, later: { a: 1 } });
});

test('the address of the demo account is kept, the last one of several', async () => {
  const file = await makeFile(FORMER);
  const demo = demoSecret(file, await secretsIn(file));
  expect(demo.email).toBeNull();
  await Promise.all([demo.keepEmail('a@console.example'), demo.keepEmail('b@console.example')]);
  expect(demo.email).toBe('b@console.example');
  expect(await secretsIn(file)).toMatchObject({ ...FORMER, demoEmail: 'b@console.example' });
});

test('secrets that are lost or broken are never replaced while there is data: the error says what to restore', async () => {
  const file = await makeFile();
  const secrets = await secretsIn(file);
  await mkdir(dataFolderOf(file));
  expect(await secretsIn(file)).toEqual(secrets);
  await writeFile(file, '{');
  await expect(secretsIn(file)).rejects.toThrow(`${file} is not valid: restore it from a copy.`);
  await rm(file);
  await expect(secretsIn(file)).rejects.toThrow(
    `${file} is missing, and the data cannot be read without it`,
  );
  await rm(dataFolderOf(file), { recursive: true });
  expect(await secretsIn(file)).not.toEqual(secrets);
});

async function secretsIn(file: string) {
  return await provideSecrets(file, dataFolderOf(file));
}

function dataFolderOf(file: string): string {
  return path.join(path.dirname(file), 'postgres');
}

async function makeFile(content?: object): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'secrets-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = path.join(folder, 'secrets.json');
  if (content) await writeFile(file, JSON.stringify(content));
  return file;
}

async function contentOf(file: string): Promise<unknown> {
  return JSON.parse(await readFile(file, 'utf8'));
}
