import { randomBytes } from 'node:crypto';
import { disposeSdk } from '@session/media';
import { createTestDatabase, freePort, startMediaServer, type TestMedia } from '@session/testing';
import { afterAll, expect, test } from 'vitest';
import { startContainer, type TestContainer } from '../../testing/images/container.ts';
import { PATIENCE_MS, patiently } from '../../testing/images/patiently.ts';
import { runDemo } from '../demo/run.ts';
import { runPlanDemo } from '../demo/run-plan.ts';

const HOST = '127.0.0.1';

afterAll(disposeSdk);

test('from an empty database, the images hold both demos, and each program ends with 0 when it is asked to', async () => {
  await using database = await createTestDatabase({ isMigrated: false });
  const webhookPort = await freePort(HOST);
  await using media = await startMediaServer({
    webhookUrls: [`http://${HOST}:${webhookPort}/webhooks/media`],
  });
  const shared = sharedVariables(database.url, media);
  const [apiUrl, metricsUrl, consoleUrl] = [await freeUrl(), await freeUrl(), await freeUrl()];
  const recorder = await startContainer('recorder', {
    env: { ...shared, METRICS_PORT: portOf(metricsUrl), WEBHOOK_PORT: String(webhookPort) },
  });
  const secrets = {
    JWT_SECRET: randomBytes(48).toString('base64'),
    ENCRYPTION_KEY: randomBytes(48).toString('base64'),
  };
  const api = await startContainer('api', {
    env: {
      ...shared,
      ...secrets,
      PORT: portOf(apiUrl),
      METRICS_PORT: String(await freePort(HOST)),
    },
  });
  const pages = await startContainer('console', {
    env: { HOST, PORT: portOf(consoleUrl), CONSOLE_API_URL: apiUrl },
    memory: '256m',
  });
  await Promise.all([
    untilHealthy(api, apiUrl),
    untilHealthy(recorder, metricsUrl),
    untilHealthy(pages, consoleUrl),
  ]);
  const { signal: stop } = new AbortController();
  const options = { apiUrl, progress: silent, waitMs: PATIENCE_MS, stop };
  expect(await runDemo(options)).toEqual({
    counts: { said: 3, answered: 3, stored: 6, missing: 0 },
    faults: [],
  });
  expect(await runPlanDemo(options)).toMatchObject({
    counts: { steps: 2, deliverables: 2, stored: 5, missing: 0 },
    faults: [],
  });
  const page = await fetch(consoleUrl);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<div id=')]);
  expect(await runOnce('dist/replay-rejected.js', shared)).toContain('stored again 0');
  expect(await Promise.all([api, recorder, pages].map((one) => one.stop()))).toEqual([0, 0, 0]);
  // The program refuses a database that another program of ours still uses.
  expect(await runOnce('dist/after-restore.js', shared)).toContain('restored to 2');
});

test.each(['echo-agent', 'light-agent', 'core-agent'])(
  '%s that is given nothing names what it needs, and ends with the code of a bad configuration',
  async (name) => {
    const container = await startContainer(name);
    expect([await container.exit, container.output()]).toEqual([
      78,
      expect.stringContaining('MEDIA_URL'),
    ]);
  },
);

const silent = {
  say: () => {},
  during: async <T>(_: string, work: (note: () => void) => Promise<T>) => await work(() => {}),
};

function sharedVariables(databaseUrl: string, media: TestMedia): Record<string, string> {
  const { url, apiKey, apiSecret } = media;
  return {
    HOST,
    DATABASE_URL: databaseUrl,
    MEDIA_URL: url,
    MEDIA_API_KEY: apiKey,
    MEDIA_API_SECRET: apiSecret,
  };
}

async function freeUrl(): Promise<string> {
  return `http://${HOST}:${await freePort(HOST)}`;
}

function portOf(url: string): string {
  return new URL(url).port;
}

/** Runs a program of operators in the recorder's image to its end, and returns its output. */
async function runOnce(program: string, env: Readonly<Record<string, string>>): Promise<string> {
  const { exit, output } = await startContainer('recorder', { env, args: [program] });
  expect([await exit, output()]).toEqual([0, expect.any(String)]);
  return output();
}

/** Waits until the program answers. Throws with its output when it ends before. */
async function untilHealthy({ exit, output }: TestContainer, url: string): Promise<void> {
  const healthy = async () => (await fetch(`${url}/health`).catch(() => undefined))?.status === 200;
  const ended = exit.then((code) => {
    throw new Error(`it ended with ${code}:\n${output()}`);
  });
  await Promise.race([patiently(healthy), ended]);
}
