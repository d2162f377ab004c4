import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { browserTest, type Page, testStack } from '@session/testing/browser-test';
import { build } from 'rolldown';
import * as z from 'zod';
import { emptyProject } from './empty-project.ts';

const Made = z.object({
  id: z.string().optional(),
  token: z.string().optional(),
  secret: z.string().optional(),
});

/** A test with a whole `stack`, and with a `project` that has the SDK and the code of its documentation. */
export const quickstartTest = browserTest
  .extend('stack', { scope: 'worker' }, testStack)
  .extend('project', { scope: 'worker' }, async ({ environment }, { onCleanup }) => {
    const project = await emptyProject(environment);
    onCleanup(() => project[Symbol.asyncDispose]());
    return project;
  });

/** Returns the code of a bundle by file name. Its entry is `browser.js`, as the pages name it. */
export async function bundle(folder: string, file: string): Promise<Map<string, string>> {
  const { output } = await build({
    input: { browser: path.join(folder, file) },
    cwd: folder,
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    write: false,
    output: { format: 'esm' },
  });
  const chunks = output.filter((part) => part.type === 'chunk');
  return new Map(chunks.map(({ fileName, code }) => [path.basename(fileName), code]));
}

const HTML = '<!doctype html><body><script type="module" src="browser.js"></script>';

/** Answers requests of a page below `address` with a bundle, and others there with `html`. */
export async function serveBundle(
  page: Page,
  address: string,
  code: ReadonlyMap<string, string>,
  html = HTML,
): Promise<void> {
  await page.route(`${address}**`, async (route) => {
    const chunk = code.get(path.posix.basename(new URL(route.request().url()).pathname));
    const contentType = chunk === undefined ? 'text/html' : 'text/javascript';
    await route.fulfill({ body: chunk ?? html, contentType });
  });
}

/** Creates an account with a project. `post` creates further objects as this account. */
export async function newProject(apiUrl: string) {
  const post = async (address: string, body: object, token = '') => {
    const answer = await fetch(`${apiUrl}${address}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${address}: ${await answer.text()}`);
    return Made.parse(await answer.json());
  };
  const account = { email: `${randomUUID()}@example.org`, password: 'correct horse', name: 'Ada' };
  const { token = '' } = await post('/auth/signup', account);
  const { id = '' } = await post('/projects', { name: 'Product' }, token);
  return { id, token, post: (address: string, body: object) => post(address, body, token) };
}

export async function newApiKey(apiUrl: string) {
  const { id, post } = await newProject(apiUrl);
  const key = await post(`/projects/${id}/api-keys`, { name: 'Backend' });
  const { id: keyId = '', secret = '' } = key;
  return { projectId: id, keyId, apiKey: secret, post };
}
