import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { compile } from '../../testing/empty-project.ts';
import {
  bundle,
  newApiKey,
  serveBundle,
  quickstartTest as test,
} from '../../testing/quickstart-test.ts';
import { type Sample, startSample } from '../../testing/start-sample.ts';

// These tests build the SDK and need a whole stack, so they run with the tests of the pages: `npm test` builds nothing.

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../../../..');
const vectors = path.join(root, 'packages/contract/message-id-vectors.json');

test('the tarball names no package of ours, and no zod', async ({ project }) => {
  const installed = path.join(project.folder, 'node_modules/@session/client/dist');
  const files = await readdir(installed, { recursive: true, withFileTypes: true });
  const imports: string[] = [];
  for (const file of files.filter((entry) => entry.isFile())) {
    const code = await readFile(path.join(file.parentPath, file.name), 'utf8');
    const found = code.matchAll(
      /^(?:import|export) [^;]*?from "([^".][^"]*)"|import\("([^"]+)"\)/gm,
    );
    imports.push(...Array.from(found, ([, named, dynamic]) => named ?? dynamic ?? ''));
    expect(code).not.toMatch(/\bZod[A-Z]\w+|sourceMappingURL/);
  }
  const others = imports.filter((name) => !name.startsWith('node:'));
  expect([...new Set(others)].toSorted()).toEqual(['@livekit/rtc-node', 'livekit-client', 'react']);
});

test('a strict project type-checks the quickstarts and the declarations of the SDK', async ({
  project,
}) => {
  const pages = ['browser.ts', 'react.tsx', 'voice.tsx', 'progress.tsx', 'page.ts'];
  const others = ['node.ts', 'fastify.ts', 'route.ts', 'vite.config.ts'];
  expect(await compile(project.folder, [...pages, ...others])).toBe('');
  // LiveKit's own declarations do not pass a strict check.
  expect(await compile(project.folder, ['livekit.tsx'], true)).toBe('');
});

test('the quickstart for Node talks with an agent, and ends by itself', async ({
  project,
  stack,
}) => {
  const env = { PATH: process.env['PATH'], API_URL: stack.apiUrl };
  const { stdout } = await run(process.execPath, ['node.ts'], { cwd: project.folder, env });
  expect(stdout).toContain('user: Good morning (complete)');
  expect(stdout).toMatch(/^assistant: .*Good morning.* \(complete\)$/m);
});

test('the quickstart for Python derives all ids, and talks to the API', async ({
  project,
  stack,
  skip,
}) => {
  const hasPython = await run('python3', ['--version']).then(
    () => true,
    () => false,
  );
  skip(!hasPython, 'this machine has no Python');
  const env = { PATH: process.env['PATH'], API_URL: stack.apiUrl, VECTORS: vectors };
  const { stdout } = await run('python3', ['quickstart.py'], { cwd: project.folder, env });
  expect(stdout).toBe('user: Good morning\n');
});

test.for(['browser.ts', 'react.tsx', 'livekit.tsx'])(
  'the quickstart %s talks with an agent in a page',
  async (file, { project, stack, browser }) => {
    const code = await bundle(project.folder, file);
    // The route answers in place of a server, so Chromium takes the page for one from elsewhere.
    await using context = await browser.newContext({ permissions: ['local-network-access'] });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('pageerror', ({ message }) => faults.push(message));
    const html = file === 'browser.ts' ? project.quickstarts.get('browser.html') : undefined;
    // Under the console's origin, which the API allows.
    const address = `${stack.consoleUrl}/quickstart/`;
    await serveBundle(page, address, code, html);
    await page.goto(`${address}?api=${encodeURIComponent(stack.apiUrl)}`);
    if (file === 'browser.ts') await page.getByRole('button', { name: 'Start talking' }).click();
    await sayGoodMorning(page);
    // This page asks for words only, so it does not show that the agent has joined.
    if (file === 'react.tsx') expect(await page.getByText(/ joined/).count()).toBe(0);
    // A page that is loaded again leaves with words unsent, which LiveKit's components report to nobody.
    expect(faults.filter((fault) => fault !== 'PC manager is closed')).toEqual([]);
  },
);

test.for<Sample>(['fastify', 'fastapi'])(
  'the sample product with %s: visitors without an account talk in its page, each in a conversation of their own, and in the next one once it is closed',
  async (sample, { project, stack, browser, skip }) => {
    const { apiKey, post } = await newApiKey(stack.apiUrl);
    const variables = { API_URL: stack.apiUrl, API_KEY: apiKey };
    await using product = await startSample(sample, project.folder, variables);
    if (!product) {
      skip('this machine has no Python for it');
      return;
    }
    const visit = async () => {
      const context = await browser.newContext();
      const page = await context.newPage();
      const [answer] = await Promise.all([
        page.waitForResponse('**/token'),
        page.goto(product.url),
      ]);
      const { sessionId } = await answer.json();
      await expect.poll(() => page.getByRole('status').textContent()).toBe('live');
      return { page, sessionId, [Symbol.asyncDispose]: () => context.close() };
    };
    await using ada = await visit();
    await sayGoodMorning(ada.page);
    const words = () => ada.page.getByRole('listitem').filter({ hasText: 'Good morning' });
    const count = await words().count();
    await ada.page.reload();
    await expect.poll(() => words().count()).toBeGreaterThanOrEqual(count);
    await using ben = await visit();
    expect(await ben.page.getByText('Good morning').count()).toBe(0);
    const renew = async () => (await ada.page.request.put(`${product.url}/token`)).status();
    expect(await renew()).toBe(200);
    await post(`/sessions/${ada.sessionId}/close`, {});
    await ada.page.getByText('This conversation is over.').waitFor();
    expect(await ada.page.getByLabel('Message').isVisible()).toBe(false);
    expect(await renew()).toBe(404);
    await ada.page.getByRole('button', { name: 'New conversation' }).click();
    await expect.poll(() => ada.page.getByRole('status').textContent()).toBe('live');
    expect(await words().count()).toBe(0);
  },
);

async function sayGoodMorning(page: Page): Promise<void> {
  const field = page.getByLabel('Message');
  let attempts = 0;
  // An agent that is not there yet receives nothing from LiveKit's own components.
  await expect
    .poll(
      async () => {
        const status = await page.getByRole('status').textContent();
        // On a busy machine these components may show no message although they are connected: a person would load the page again.
        if (attempts > 0 && attempts % 8 === 0) {
          process.stderr.write(`Loads the page again, which says: ${status}\n`);
          await page.reload();
        }
        attempts += 1;
        await field.fill('Good morning');
        await field.press('Enter');
        const count = await page.getByRole('listitem').count();
        return count > 1 || `${count} messages, and the page says: ${status}`;
      },
      { interval: 2000 },
    )
    .toBe(true);
  const answers = page.getByRole('listitem').filter({ hasText: 'Good morning' });
  await expect.poll(() => answers.count()).toBeGreaterThan(1);
}
