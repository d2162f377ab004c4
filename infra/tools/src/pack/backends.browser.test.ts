import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import * as z from 'zod';
import {
  bundle,
  newApiKey,
  serveBundle,
  quickstartTest as test,
} from '../../testing/quickstart-test.ts';

const Access = z.object({ sessionId: z.string(), accessToken: z.string() });

/** A server that calls the route handler, as Next does. */
const NEXT = `import { createServer } from 'node:http';
import { POST, PUT } from './route.ts';
const server = createServer(async ({ method }, response) => {
  const answer = await (method === 'PUT' ? PUT() : POST());
  response.writeHead(answer.status).end(await answer.text());
}).listen(0, '127.0.0.1', () => {
  console.log('http://127.0.0.1:' + server.address().port);
});
`;

test.for(['fastify.ts', 'route.ts'])(
  'behind the backend %s a user without an account talks in a page, in one session however often it is opened',
  async (file, { project, stack, browser }) => {
    const { apiKey, keyId, projectId, post } = await newApiKey(stack.apiUrl);
    await writeFile(path.join(project.folder, 'next.ts'), NEXT);
    const env = {
      PATH: process.env['PATH'],
      API_URL: stack.apiUrl,
      API_KEY: apiKey,
      PROJECT_ID: projectId,
      PORT: '0',
    };
    const program = file === 'route.ts' ? 'next.ts' : file;
    const backend = spawn(process.execPath, [program], {
      cwd: project.folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await using _ = {
      async [Symbol.asyncDispose]() {
        backend.kill();
        await once(backend, 'exit');
      },
    };
    const [address] = await once(backend.stdout, 'data');
    const url = new URL('/my-token', String(address).trim());
    const ask = async (method = 'POST') => await fetch(url, { method });
    const begin = async () => Access.parse(await (await ask()).json());
    expect((await ask('PUT')).status).toBe(404);
    const { sessionId, accessToken } = await begin();
    expect((await begin()).sessionId).toBe(sessionId);

    const code = await bundle(project.folder, 'page.ts');
    await using context = await browser.newContext({ permissions: ['local-network-access'] });
    const page = await context.newPage();
    const origin = `${stack.consoleUrl}/quickstart/`;
    await page.route('**/my-token', async (route) => {
      const isRenewal = route.request().method() === 'PUT';
      // The backend's own answer is checked below, before its key ends.
      await route.fulfill(isRenewal ? { status: 404, json: {} } : { json: await begin() });
    });
    await serveBundle(page, origin, code);
    await page.goto(`${origin}?api=${encodeURIComponent(stack.apiUrl)}`);
    const headers = { authorization: `Bearer ${accessToken}` };
    const history = async () =>
      await (await fetch(`${stack.apiUrl}/sessions/${sessionId}/messages`, { headers })).text();
    await expect.poll(history).toContain('You said: Good morning');
    expect(await history()).toMatch(/"externalId": ?"user-17"/);
    await post(`/sessions/${sessionId}/close`, {});
    expect((await ask('PUT')).status).toBe(404);
    // The token of the page ends with the key.
    await post(`/api-keys/${keyId}/rotate`, { keepOldHours: 0 });
    await page.getByText('This conversation is over.').waitFor();
  },
);
