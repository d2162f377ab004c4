import { fillSessions } from '@session/testing/browser';
import type { Page, Request, Route } from 'playwright-core';
import { expect } from 'vitest';
import { startSession } from '../testing/conversations.ts';
import { journey } from '../testing/journey.ts';

/** Leaves one read of an address unanswered for each call of `next`. `before` prepares the page before it is loaded. */
function holdReads(address: RegExp) {
  let hold: ((request: Request) => void) | undefined;
  return {
    before: async (page: Page) =>
      await page.route(address, async (route) => {
        if (!hold || route.request().method() !== 'GET') return await route.fallback();
        hold(route.request());
        hold = undefined;
      }),
    /** Waits until the next read is held. Returns a function that waits until the page has given it up. */
    next: async (page: Page) => {
      const held = Promise.withResolvers<Request>();
      hold = held.resolve;
      const request = await held.promise;
      const ended = page.waitForEvent('requestfailed', (failed) => failed === request);
      return async () => void (await ended);
    },
  };
}

journey('a session that is renamed and closed while it is read stays so', async ({ ada, open }) => {
  const { sessionId } = await startSession(ada);
  const { before, next } = holdReads(new RegExp(`/sessions/${sessionId}$`));
  const page = await open(`/sessions/${sessionId}`, { as: ada, before });
  const title = page.getByRole('button', { name: 'Onboarding call' });
  await title.waitFor();
  let untilGivenUp = await next(page);
  await title.click();
  await page.getByRole('textbox', { name: 'Name of the session' }).fill('Second call');
  await page.keyboard.press('Enter');
  await untilGivenUp();
  await page.getByRole('heading', { name: 'Second call' }).waitFor();

  untilGivenUp = await next(page);
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByRole('button', { name: 'Close session' }).click();
  await untilGivenUp();
  await page.getByText(/^Closed at/).waitFor();
});

journey(
  'a session that is deleted while the list is read does not come back',
  async ({ ada, open }) => {
    const { projectId } = await startSession(ada);
    const { before, next } = holdReads(new RegExp(`/projects/${projectId}/sessions\\?`));
    const page = await open(`/projects/${projectId}`, { as: ada, before });
    const row = page.getByRole('main').getByRole('link', { name: 'Onboarding call' });
    await row.waitFor();
    const untilGivenUp = await next(page);
    await page.getByRole('button', { name: 'More about Onboarding call' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete the session' }).click();
    await untilGivenUp();
    await row.waitFor({ state: 'detached' });
  },
);

journey(
  'a session that is deleted while older ones are read does not come back with them',
  async ({ ada, stack, open }) => {
    const { id } = await ada.client.projects.create({ name: 'Acme Support' });
    await fillSessions(stack.databaseUrl, id, ada.id, 60);
    const asked = Promise.withResolvers<Route>();
    const page = await open(`/projects/${id}`, {
      as: ada,
      before: async (opened) => {
        await opened.route(/cursor=/, asked.resolve);
      },
    });
    const rows = page.locator('ul[aria-label="Sessions"] > li');
    await rows.last().evaluate((row) => row.scrollIntoView());
    const older = await asked.promise;
    const name = (await rows.first().getByRole('heading').textContent()) ?? '';
    await rows
      .first()
      .getByRole('button', { name: `More about ${name}` })
      .click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete the session' }).click();
    const row = rows.filter({ has: page.getByRole('link', { name, exact: true }) });
    await row.waitFor({ state: 'detached' });
    // A read of the newest ones would cure what the older ones bring back.
    await page.route(/\/sessions\?/, () => {});
    await older.continue();
    await expect.poll(async () => await rows.count()).toBe(59);
    expect(await row.count()).toBe(0);
  },
);

journey('a name that is changed while the account is read stays', async ({ ada, open }) => {
  const { before, next } = holdReads(/\/auth\/me$/);
  const page = await open('/account', {
    as: ada,
    before: async (opened) => {
      await opened.clock.install();
      await before(opened);
    },
  });
  const profile = page.getByRole('form', { name: 'Profile' });
  await profile.waitFor();
  // The account is read every half minute.
  const [untilGivenUp] = await Promise.all([next(page), page.clock.fastForward(31_000)]);
  await profile.getByRole('textbox', { name: 'Name' }).fill('Ada Lovelace');
  await profile.getByRole('button', { name: 'Save' }).click();
  await untilGivenUp();
  await page.getByRole('button', { name: 'Ada Lovelace' }).waitFor();
});
