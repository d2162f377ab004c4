import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { makeStackFolder, startTestStack, until } from '../../testing/stack.ts';
import { firstFreePort } from '../supervision/ports.ts';
import { readStackFile, type StackFile } from './stack-file.ts';

const timeout = 400_000;
/** The secrets of a stack that was made before there was a console. */
const FORMER_SECRETS = {
  databasePassword: 'd'.repeat(32),
  jwtSecret: 'j'.repeat(64),
  encryptionKey: 'e'.repeat(44),
  mediaApiKey: 'APIformer',
  mediaApiSecret: 's'.repeat(64),
};

test('the demo account of a stack of before: only the page gets a token, nobody its password, and a lost account is made again', {
  timeout,
}, async () => {
  const folder = await makeStackFolder('console');
  const secretsFile = path.join(folder, 'secrets.json');
  await writeFile(secretsFile, JSON.stringify(FORMER_SECRETS));
  const formerJwtSecret = 'f'.repeat(40);
  const run = startTestStack(folder, {
    ...(await consoleVariables(folder)),
    JWT_SECRET_PREVIOUS: formerJwtSecret,
  });
  const file = await run.up();
  const url = file.consoleUrl ?? '';
  await until(async () => run.output().includes('Ctrl-C'));
  expect(run.output()).toContain(`\n  console       ${file.demoUrl}\n  API `);
  const config = await fetch(`${url}/config.json`);
  expect(await config.json()).toEqual({ apiUrl: file.apiUrl, demo: true });
  expect(config.headers.get('content-security-policy')).toContain(
    `connect-src 'self' ${file.apiUrl} ${file.mediaUrl} ${file.mediaUrl.replace('ws:', 'http:')};`,
  );
  for (const origin of [url, url.replace('127.0.0.1', 'localhost')]) {
    const answer = await fetch(`${file.apiUrl}/health`, { headers: { origin } });
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
  }

  expect(await demoUser(file)).toBe('demo@console.example');
  const secrets = await until(async () => {
    const content = JSON.parse(await readFile(secretsFile, 'utf8'));
    return content.demoEmail !== null && content;
  });
  expect(secrets).toMatchObject({ ...FORMER_SECRETS, demoEmail: 'demo@console.example' });
  expect((await fetch(`${url}/demo-login`, { method: 'POST' })).status).toBe(403);
  expect(await forgedLogin(url)).toMatch(/^HTTP\/1\.1 403 .*"code":"forbidden"/s);
  expect(await forgedLogin(url, 'wrong')).toMatch(/^HTTP\/1\.1 403 /);
  // Every user of the machine can read the command lines.
  for (const pid of Object.values(file.pids)) {
    for (const name of ['cmdline', 'environ']) {
      // Only Linux has these files.
      const content = await readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
      expect(content).not.toContain(secrets.demoPassword);
      expect(content).not.toContain(keyOf(file));
    }
  }

  const environment = await readFile(`/proc/${file.pids['console']}/environ`, 'utf8').catch(
    () => '',
  );
  for (const secret of [formerJwtSecret, secrets.jwtSecret, secrets.databasePassword]) {
    expect(environment).not.toContain(secret);
  }

  await query(file, "delete from users where email = 'demo@console.example'");
  const second = await demoUser(file);
  expect(second).toMatch(/^demo-\w{8}@console.example$/);
  // A restarted console signs in with the password, which is wrong by now.
  await query(file, `update users set password_hash = 'other' where email = '${second}'`);
  process.kill(file.pids['console'] ?? 0, 'SIGKILL');
  const third = await until(async () => {
    const { pids } = (await readStackFile(folder)) ?? file;
    return pids['console'] !== file.pids['console'] && (await demoUser(file).catch(() => false));
  });
  expect(third).toMatch(/^demo-\w{8}@console.example$/);
  expect(third).not.toBe(second);
  await until(async () => (await readFile(secretsFile, 'utf8')).includes(String(third)));
  expect(run.output()).toContain('console ended (SIGKILL); restarting in 0.2 s\n');
});

test('without its pages the console is missing, which one sentence says, and the rest of the stack runs; other machines get no token', {
  timeout,
}, async () => {
  const folder = await makeStackFolder('no-pages');
  const missing = path.join(folder, 'none');
  const env = { CONSOLE: '', CONSOLE_PORT: '0', CONSOLE_PAGES_DIR: missing };
  const run = startTestStack(folder, env);
  const file = await run.up();
  expect(file.consoleUrl).toBeNull();
  expect((await fetch(`${file.apiUrl}/health`)).status).toBe(200);
  await expect.poll(() => run.output()).toContain('The stack has no console.');
  await expect.poll(() => run.output()).toContain(`There are no pages in ${missing}: build them`);
  await run.stop('SIGINT');

  const open = startTestStack(folder, { ...(await consoleVariables(folder)), HOST: '0.0.0.0' });
  const { apiUrl, consoleUrl } = await open.up();
  for (const url of [apiUrl, consoleUrl]) {
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    await expect
      .poll(() => open.output())
      .toContain(`${url} (and at every other address of this machine)`);
  }
  expect(await (await fetch(`${consoleUrl}/config.json`)).json()).toMatchObject({ demo: false });
  expect(open.output()).not.toContain('#demo=');
  const headers = { origin: consoleUrl ?? '' };
  expect((await fetch(`${consoleUrl}/demo-login`, { method: 'POST', headers })).status).toBe(404);
});

test.each(['PORT', 'CONSOLE_PORT'])(
  'a %s that is taken stops the start before any part runs, and is named',
  { timeout },
  async (variable) => {
    const folder = await makeStackFolder(variable);
    const port = await firstFreePort([], '127.0.0.1');
    await using server = createServer();
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const run = startTestStack(folder, {
      ...(await consoleVariables(folder)),
      [variable]: String(port),
    });
    expect(await once(run.child, 'close')).toEqual([1, null]);
    expect(run.output()).toBe(
      `${variable}=${port}: another program has this port. Stop that program, or choose another port (0 is any).\n`,
    );
  },
);

/** Returns the variables of a stack with a console, whose pages need no build. */
async function consoleVariables(folder: string): Promise<NodeJS.ProcessEnv> {
  const pages = path.join(folder, 'pages');
  await mkdir(pages, { recursive: true });
  await writeFile(path.join(pages, 'index.html'), '<!doctype html>');
  return { CONSOLE: '', CONSOLE_PORT: '0', CONSOLE_PAGES_DIR: pages };
}

/** Returns the e-mail address of the account whose token a page of the console gets. */
async function demoUser(file: StackFile): Promise<string> {
  const { consoleUrl, apiUrl } = file;
  const headers = { origin: consoleUrl ?? '', authorization: `Bearer ${keyOf(file)}` };
  const answer = await fetch(`${consoleUrl}/demo-login`, { method: 'POST', headers });
  const { token } = z.object({ token: z.string() }).parse(await answer.json());
  const me = await fetch(`${apiUrl}/auth/me`, { headers: { authorization: `Bearer ${token}` } });
  return z.object({ email: z.string() }).parse(await me.json()).email;
}

function keyOf({ demoUrl }: StackFile): string {
  return new URL(demoUrl ?? '').hash.replace('#demo=', '');
}

/** Asks as a program at the other end of a tunnel does, with the headers of a page of the console. Returns the answer. */
async function forgedLogin(url: string, key?: string): Promise<string> {
  const { host, hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const lines = ['POST /demo-login HTTP/1.1', `host: ${host}`, `origin: http://${host}`];
  if (key !== undefined) lines.push(`authorization: Bearer ${key}`);
  socket.write(
    `${[...lines, 'sec-fetch-site: same-origin', 'connection: close'].join('\r\n')}\r\n\r\n`,
  );
  return await text(socket);
}

async function query({ databaseUrl }: StackFile, statement: string): Promise<void> {
  const client = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  await client.unsafe(statement);
  await client.end();
}
