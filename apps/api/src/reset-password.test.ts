import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { programEnv } from '@session/testing';
import { expect } from 'vitest';
import { TEST_PASSWORD } from '../testing/api.ts';
import { apiTest as test } from '../testing/api-test.ts';

const program = fileURLToPath(new URL('reset-password.ts', import.meta.url));

async function reset(url: string, ...addresses: string[]): Promise<string> {
  const env = { ...programEnv(), DATABASE_URL: url };
  const command = ['--conditions=@source', program, ...addresses];
  return (await promisify(execFile)(process.execPath, command, { env })).stdout;
}

function failed(stderr: string): unknown {
  return expect.objectContaining({ code: 1, stderr });
}

test('the printed password logs in, the former one does not, and all tokens have ended', async ({
  api,
  ana,
  database,
}) => {
  expect((await api.inject(ana, { url: '/auth/me' })).statusCode).toBe(200);
  const printed = await reset(database.url, ana.email.toUpperCase());
  const [, email, password = ''] = /^password of (\S+) .*: (\S{20})\n$/.exec(printed) ?? [];
  expect(email).toBe(ana.email);
  await expect.poll(async () => (await api.inject(ana, { url: '/auth/me' })).statusCode).toBe(401);
  const logIn = async (tried: string) => {
    const payload = { email: ana.email, password: tried };
    return await api.app.inject({ method: 'POST', url: '/auth/login', payload });
  };
  expect((await logIn(TEST_PASSWORD)).statusCode).toBe(401);
  const { token } = (await logIn(password)).json();
  expect((await api.inject({ ...ana, token }, { url: '/auth/me' })).statusCode).toBe(200);
});

test('an address without an account, and none at all: the program says so, and ends with code 1', async ({
  api,
  database,
}) => {
  await expect(reset(database.url)).rejects.toEqual(
    failed('Name the e-mail address of the account, as in: ada@example.org\n'),
  );
  const { id } = await api.createUser();
  for (const address of ['nobody@example.org', `service-${id}@example.org`]) {
    await expect(reset(database.url, address)).rejects.toEqual(
      failed(`No account has the e-mail address ${address}.\n`),
    );
  }
});
