import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { programEnv, serviceProgram } from '@session/testing';
import { expect } from 'vitest';
import { apiTest as test } from '../testing/api-test.ts';
import { secretIn } from '../testing/invitations.ts';

const CONSOLE_URL = 'https://console.example.org';

async function linkFor(env: NodeJS.ProcessEnv, ...addresses: string[]): Promise<string> {
  const command = [serviceProgram('api', 'reset-password'), ...addresses];
  const all = { ...programEnv(), ...env };
  return (await promisify(execFile)(process.execPath, command, { env: all })).stdout;
}

function failed(stderr: string): unknown {
  return expect.objectContaining({ code: 1, stderr });
}

test('the printed link sets a password, and ends all tokens', async ({ api, ana, database }) => {
  const env = { DATABASE_URL: database.url, CONSOLE_URL };
  const printed = await linkFor(env, ana.email.toUpperCase());
  expect(printed).toMatch(
    /^for ana-\S+, valid for an hour, once: https:\/\/console\.example\.org\/reset-password#[\w-]{43}\n$/,
  );
  expect((await api.inject(ana, { url: '/auth/me' })).statusCode).toBe(200);
  const payload = { secret: secretIn(printed), password: 'battery staple' };
  const reset = await api.app.inject({ method: 'POST', url: '/auth/reset-password', payload });
  expect(reset.json()).toMatchObject({ user: { email: ana.email } });
  expect((await api.inject(ana, { url: '/auth/me' })).statusCode).toBe(401);
});

test('without CONSOLE_URL the link leads where those of the API do', async ({ ana, database }) => {
  const env = { DATABASE_URL: database.url, CONSOLE_URL: '' };
  expect(await linkFor(env, ana.email)).toContain(': http://127.0.0.1:3001/reset-password#');
});

test('an address without an account, and none at all: the program says so, and ends with code 1', async ({
  api,
  database,
}) => {
  const env = { DATABASE_URL: database.url, CONSOLE_URL };
  await expect(linkFor(env)).rejects.toEqual(
    failed('Name the e-mail address of the account, for example: ada@example.org\n'),
  );
  const { id } = await api.createUser();
  for (const address of ['nobody@example.org', `service-${id}@example.org`]) {
    await expect(linkFor(env, address)).rejects.toEqual(
      failed(`No account has the e-mail address ${address}.\n`),
    );
  }
});
