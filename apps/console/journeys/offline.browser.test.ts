import type { Page, Request } from 'playwright-core';
import { expect } from 'vitest';
import { say, startSession } from '../testing/conversations.ts';
import { journey } from '../testing/journey.ts';

/** How often the SDK tries each read. */
const ATTEMPTS = 3;

const isCheck = (request: Request) => new URL(request.url()).pathname === '/';
/** Without this header, the browser hides an answer from the page, which then sees a failed request. */
const ANY_ORIGIN = { 'access-control-allow-origin': '*' };
const BAD_GATEWAY = { status: 502, headers: ANY_ORIGIN, contentType: 'text/html', body: '' };
/** The API's answer while its database is away. */
const UNAVAILABLE = {
  status: 503,
  headers: ANY_ORIGIN,
  contentType: 'application/problem+json',
  body: JSON.stringify({ code: 'unavailable', title: 'Unavailable', detail: '', requestId: 'r-1' }),
};
const installClock = async (page: Page) => await page.clock.install();

journey(
  'without a connection a line says so, what was read stays, and the line goes by itself',
  async ({ ada, open, axe, expectFault }) => {
    expectFault(/ERR_INTERNET_DISCONNECTED/);
    const { id } = await ada.client.projects.create({ name: 'Acme Support' });
    await ada.client.sessions.create(id, { name: 'Refund 4471' });
    const page = await open(`/projects/${id}`, { as: ada, width: 320 });
    const row = page.getByRole('listitem').filter({ hasText: 'Refund 4471' });
    await row.waitFor();
    const line = page.getByText('The service cannot be reached.');
    await page.context().setOffline(true);
    await line.waitFor();
    expect(await row.isVisible()).toBe(true);
    await axe(page);
    await ada.client.sessions.create(id, { name: 'Created meanwhile' });
    await page.context().setOffline(false);
    await line.waitFor({ state: 'hidden' });
    await page.getByRole('listitem').filter({ hasText: 'Created meanwhile' }).waitFor();
  },
);

journey(
  'an action without a connection says what failed, and can be tried again',
  async ({ ada, open, expectFault }) => {
    expectFault(/ERR_INTERNET_DISCONNECTED/);
    const { id } = await ada.client.projects.create({ name: 'Acme Support' });
    const page = await open(`/projects/${id}`, { as: ada });
    await page.getByRole('button', { name: 'Start talking' }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Start talking' }).click();
    await page.getByRole('alert').getByText('The service cannot be reached').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Start talking' }).click();
    await page.waitForURL('**/sessions/*');
  },
);

journey(
  'a click is not lost when the line about the connection comes or goes while the button is pressed',
  async ({ ada, open, expectFault }) => {
    expectFault(/ERR_INTERNET_DISCONNECTED/);
    const { id } = await ada.client.projects.create({ name: 'Acme Support' });
    const page = await open(`/projects/${id}`, { as: ada, before: installClock });
    const line = page.getByText('The service cannot be reached.');
    const press = async () => {
      await page.getByRole('button', { name: 'Start talking' }).hover();
      await page.mouse.down();
    };
    let attempts = 0;
    page.on('requestfailed', (request) => {
      if (isCheck(request)) attempts += 1;
    });
    await press();
    await page.context().setOffline(true);
    // One more belongs to the second check, after the first one has failed.
    await expect
      .poll(async () => {
        await page.clock.fastForward(5000);
        return attempts;
      })
      .toBeGreaterThan(ATTEMPTS);
    await page.mouse.up();
    await page.getByRole('alert').getByText('The service cannot be reached').waitFor();
    await line.waitFor();
    await press();
    const isAnswered = page.waitForEvent('requestfinished', isCheck);
    await page.context().setOffline(false);
    await isAnswered;
    await page.mouse.up();
    await page.waitForURL('**/sessions/*');
  },
);

journey(
  'an open session is read again after the API answered 503',
  async ({ ada, open, expectFault }) => {
    expectFault(/status of 503/);
    const { sessionId } = await startSession(ada);
    let isAway = false;
    const page = await open(`/sessions/${sessionId}`, {
      as: ada,
      before: async (opened) => {
        await installClock(opened);
        await opened.route(new RegExp(`/sessions/${sessionId}$`), async (route) => {
          if (!isAway || route.request().method() !== 'GET') return await route.fallback();
          const response = await route.fetch();
          return await route.fulfill({ response, status: 503, body: '{}' });
        });
      },
    });
    await page.getByRole('button', { name: 'Onboarding call' }).waitFor();
    isAway = true;
    // One more belongs to the second read, after the first one has failed.
    for (let attempt = 0; attempt <= ATTEMPTS; attempt += 1) {
      const refused = page.waitForResponse((response) => response.status() === 503);
      await page.clock.fastForward(5000);
      await refused;
    }
    isAway = false;
    await ada.client.sessions.close(sessionId);
    await page.clock.fastForward(5000);
    await page.getByText(/^Closed at/).waitFor();
  },
);

journey(
  'behind a proxy that answers 502 the line shows that the service is away, and goes by itself',
  async ({ ada, stack, open, expectFault }) => {
    expectFault(/status of 502/);
    const { id } = await ada.client.projects.create({ name: 'Acme Support' });
    const page = await open(`/projects/${id}`, { as: ada });
    await page.getByRole('button', { name: 'Start talking' }).waitFor();
    const line = page.getByText('The service cannot be reached.');
    await page.route(`${stack.apiUrl}/**`, async (route) => await route.fulfill(BAD_GATEWAY));
    await line.waitFor();
    await ada.client.sessions.create(id, { name: 'Created meanwhile' });
    await page.unroute(`${stack.apiUrl}/**`);
    await line.waitFor({ state: 'hidden' });
    await page.getByRole('listitem').filter({ hasText: 'Created meanwhile' }).first().waitFor();
  },
);

journey(
  'a 502 of one address alone shows no line about the service',
  async ({ ada, stack, open, expectFault }) => {
    expectFault(/status of 502/);
    const { sessionId } = await startSession(ada);
    let isChecked: Promise<unknown> | undefined;
    const page = await open(`/sessions/${sessionId}`, {
      as: ada,
      before: async (opened) => {
        isChecked = opened.waitForEvent('requestfinished', isCheck);
        const address = `${stack.apiUrl}/sessions/${sessionId}/agents*`;
        await opened.route(address, async (route) => await route.fulfill(BAD_GATEWAY));
      },
    });
    await isChecked;
    await page.getByRole('button', { name: 'Onboarding call' }).waitFor();
    expect(await page.getByText('The service cannot be reached.').isVisible()).toBe(false);
  },
);

journey(
  'a conversation that the API cannot read says so, and sends later what is written',
  async ({ ada, open, expectFault, axe }) => {
    expectFault(/status of 503/);
    const { sessionId } = await startSession(ada);
    let isAway = false;
    const page = await open(`/sessions/${sessionId}`, {
      as: ada,
      before: async (opened) =>
        await opened.route(new RegExp(`/sessions/${sessionId}/messages`), async (route) => {
          if (isAway) await route.fulfill(UNAVAILABLE);
          else await route.fallback();
        }),
    });
    await page.getByText('Nothing has been said yet.').waitFor();
    isAway = true;
    await say(page, 'Good morning');
    const line = page.getByText('The service does not answer now.');
    await line.waitFor();
    await axe(page);
    expect(await page.getByText('The service cannot be reached.').isVisible()).toBe(false);
    isAway = false;
    await line.waitFor({ state: 'hidden' });
    await page.locator('article[data-state=complete]', { hasText: 'Good morning' }).waitFor();
  },
);

journey(
  'the keys that open something keep an open session when its code cannot be loaded',
  async ({ ada, open, expectFault }) => {
    expectFault(/ERR_INTERNET_DISCONNECTED/);
    const { sessionId } = await startSession(ada);
    await ada.client.messages.say(sessionId, { content: 'Good morning' });
    const page = await open(`/sessions/${sessionId}`, { as: ada });
    const words = page.getByRole('region', { name: 'Conversation' }).getByText('Good morning');
    await words.waitFor();
    let loads = 0;
    page.on('framenavigated', () => {
      loads += 1;
    });
    await page.context().setOffline(true);
    await page.keyboard.press('Control+k');
    await page.getByText('The palette could not be loaded.').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await words.isVisible()).toBe(true);
    expect(loads).toBe(0);
    await page.context().setOffline(false);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to anything' }).waitFor();
  },
);
