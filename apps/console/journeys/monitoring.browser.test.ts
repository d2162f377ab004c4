import type { Route } from 'playwright-core';
import { expect } from 'vitest';
import { journey } from '../testing/journey.ts';
import { hasFocus } from '../testing/keyboard.ts';

journey(
  'monitoring begins empty, then names the session with its recorder, and leads to its recording',
  async ({ ada, open, axe }) => {
    const { client } = ada;
    const { id } = await client.projects.create({ name: 'Acme Support' });
    const { id: otherId } = await client.projects.create({ name: 'Research' });
    const page = await open(`/projects/${id}/monitoring`, { as: ada, width: 320 });
    await page.getByText('None now. An open session stands here').waitFor();
    await axe(page);
    const session = await client.sessions.create(id, { name: 'Refund 4471' });
    await client.sessions.create(otherId, { name: 'Of another project' });
    const agent = await client.agents.start(session.id, { role: 'echo-agent' });
    await client.agents.untilRunning(agent.id);
    const row = page.getByRole('listitem').filter({ hasText: 'Refund 4471' });
    await row.getByText('Recording').waitFor();
    await page.getByRole('heading', { name: 'Recorders' }).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'last report' }).getByText('Live').waitFor();
    await page.getByText('Every active session is recorded.').waitFor();
    expect(await page.getByRole('main').getByText('Of another project').count()).toBe(0);
    await row.getByRole('link', { name: 'Refund 4471' }).click();
    await page.waitForURL(`**/sessions/${session.id}?panel=recording`);
  },
);

journey(
  'monitoring says what is wrong and what to do, names what it does not know, and fails by a sentence',
  async ({ ada, stack, open, axe, expectFault }) => {
    expectFault(/status of 500/);
    const { id } = await ada.client.projects.create({ name: 'Acme Support' });
    let isFailing = true;
    const page = await open(`/projects/${id}/monitoring`, {
      as: ada,
      before: async (opened) => {
        await opened.clock.install();
        await opened.route(`${stack.apiUrl}/monitoring/**`, async (route) => {
          if (route.request().method() === 'OPTIONS') return await route.continue();
          const fails = isFailing;
          const response = await route.fetch();
          if (fails) {
            return await route.fulfill({ response, status: 500, body: '{}' });
          }
          const statistics = await response.json();
          const heartbeatAt = new Date().toISOString();
          // The real figures depend on the other tests.
          statistics.drift = { staleRecorders: 2, brokenMirrors: 7 };
          statistics.webhooks = { lastAt: heartbeatAt };
          const about = { sessions: 1, heartbeatAt, clockOffsetMs: -2500 };
          statistics.recorders = [
            { id: 'recorder-a', status: 'stale', ...about },
            { id: 'recorder-b', status: 'levitating', ...about },
          ];
          return await route.fulfill({ response, json: statistics });
        });
      },
    });
    await page.getByRole('alert').getByText('Internal Server Error').waitFor();
    await axe(page);
    // A second failed read keeps the notice.
    await Promise.all([
      page.waitForResponse((response) => response.status() === 500),
      page.clock.fastForward(5000),
    ]);
    // The page's clock stands still, so that the page does not read the figures again before the click.
    await page.clock.pauseAt(Date.now() + 60_000);
    isFailing = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.clock.resume();
    await page.getByRole('heading', { name: '2 things need a look' }).waitFor();
    await page.getByText('2 recorders do not report any more.').waitFor();
    await page.getByText('Other recorders take its sessions.').waitFor();
    await page.getByText('brokenMirrors: 7').waitFor();
    await page.getByText('levitating').waitFor();
    await page.getByText('clock 2.5 s behind').first().waitFor();
  },
);

journey(
  'the button that tries again keeps the focus while a read of the page lasts',
  async ({ ada, stack, open, expectFault }) => {
    expectFault(/status of 500/);
    const { id } = await ada.client.projects.create({ name: 'Acme Support' });
    const second = Promise.withResolvers<Route>();
    let reads = 0;
    const page = await open(`/projects/${id}/monitoring`, {
      as: ada,
      before: async (opened) => {
        await opened.clock.install();
        await opened.route(`${stack.apiUrl}/monitoring/**`, async (route) => {
          if (route.request().method() === 'OPTIONS') return await route.continue();
          reads += 1;
          if (reads > 1) return second.resolve(route);
          return await route.fulfill({ response: await route.fetch(), status: 500, body: '{}' });
        });
      },
    });
    const button = page.getByRole('button', { name: 'Try again' });
    await button.focus();
    const [route] = await Promise.all([second.promise, page.clock.fastForward(6000)]);
    expect(await hasFocus(button)).toBe(true);
    await route.continue();
    await page.getByRole('heading', { name: 'Recorders' }).waitFor();
    expect(await button.count()).toBe(0);
  },
);
