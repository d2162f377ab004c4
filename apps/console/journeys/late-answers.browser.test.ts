import { fillSessions } from '@session/testing/browser';
import type { Page, Request, Route } from 'playwright-core';
import { expect } from 'vitest';
import { startSession } from '../testing/conversations.ts';
import { heldWrite } from '../testing/held-write.ts';
import { journey } from '../testing/journey.ts';
import { startReceiver } from '../testing/receiver.ts';

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

journey('a name is typed on while another answer comes', async ({ ada, open }) => {
  const { sessionId } = await startSession(ada);
  const page = await open(`/sessions/${sessionId}`, {
    as: ada,
    before: async (opened) => {
      await opened.clock.install();
    },
  });
  await page.getByRole('button', { name: 'Onboarding call' }).click();
  await page.keyboard.type('Second');
  await ada.client.sessions.rename(sessionId, { name: 'Elsewhere' });
  await page.clock.fastForward(5000);
  await expect.poll(() => page.title()).toContain('Elsewhere');
  await page.keyboard.type(' call');
  const field = page.getByRole('textbox', { name: 'Name of the session' });
  expect(await field.inputValue()).toBe('Second call');
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
    // A read of the newest sessions would correct what the answer to the older read brings back.
    await page.route(/\/sessions\?/, () => {});
    await older.continue();
    await expect.poll(async () => await rows.count()).toBe(59);
    expect(await row.count()).toBe(0);
  },
);

journey(
  'a session that is created while older ones are read stays in the list',
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
    await ada.client.sessions.create(id, { name: 'Created meanwhile' });
    await rows.first().getByRole('link', { name: 'Created meanwhile' }).waitFor();
    // Another read of the newest sessions would bring the created one back.
    await page.route(/\/sessions\?/, () => {});
    await older.continue();
    await expect.poll(async () => await rows.count()).toBe(61);
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

journey('a late answer leaves a setting open that was opened again', async ({ ada, open }) => {
  const { projectId } = await startSession(ada);
  const page = await open(`/projects/${projectId}`, { as: ada });
  const days = page.getByRole('dialog', { name: 'keeps histories' }).getByLabel('Days');
  const openDialog = async () => {
    await page.getByRole('main').getByRole('button', { name: 'More about Acme Support' }).click();
    await page.getByRole('menuitem', { name: 'Keep histories' }).click();
  };
  const write = heldWrite(page, 'PATCH', new RegExp(`/projects/${projectId}$`));
  await openDialog();
  await days.fill('30');
  await page.keyboard.press('Enter');
  const late = await write;
  await page.keyboard.press('Escape');
  await openDialog();
  await days.waitFor();
  await late.continue();
  await page.getByText('Histories are kept for 30 days.').waitFor();
  expect(await days.isVisible()).toBe(true);
});

journey('a late answer leaves a form open that was opened again', async ({ ada, open }) => {
  await using receiver = await startReceiver();
  const { projectId } = await startSession(ada);
  const page = await open(`/projects/${projectId}/webhooks`, { as: ada });
  const url = page.getByRole('dialog', { name: 'Create a webhook' }).getByLabel('URL');
  const create = page.getByRole('main').getByRole('button', { name: 'Create a webhook' });
  const write = heldWrite(page, 'POST', /\/webhooks$/);
  await create.click();
  await url.fill(receiver.url);
  await page.keyboard.press('Enter');
  const late = await write;
  await page.keyboard.press('Escape');
  await create.click();
  await url.waitFor();
  await late.continue();
  await page.getByText(/It is not shown again\./).waitFor();
  expect(await url.isVisible()).toBe(true);
});

journey(
  'the link of an invitation is shown although its dialog was closed meanwhile',
  async ({ ada, open }) => {
    const { projectId } = await startSession(ada);
    const page = await open(`/projects/${projectId}/members`, { as: ada });
    const write = heldWrite(page, 'POST', /\/invitations$/);
    await page.getByRole('button', { name: 'Invite' }).click();
    const email = `invited-${ada.email}`;
    await page.getByRole('dialog').getByLabel('E-mail').fill(email);
    await page.keyboard.press('Enter');
    const late = await write;
    await page.keyboard.press('Escape');
    await late.continue();
    const link = page.getByRole('region', { name: `The invitation of ${email}` });
    await link.getByText(/\/invitation#/).waitFor();
    await link.getByRole('button', { name: 'Done' }).click();
    await link.waitFor({ state: 'detached' });
  },
);

journey(
  'a new session is not opened for a user who has left the closed one',
  async ({ ada, open }) => {
    const { sessionId, projectId } = await startSession(ada);
    await ada.client.sessions.close(sessionId);
    const page = await open(`/sessions/${sessionId}`, { as: ada });
    const write = heldWrite(page, 'POST', new RegExp(`/projects/${projectId}/sessions$`));
    await page.getByRole('main').getByRole('button', { name: 'New session' }).click();
    const late = await write;
    await page.getByRole('link', { name: 'Sessions', exact: true }).click();
    await page.waitForURL(`**/projects/${projectId}`);
    await late.continue();
    await page.getByRole('main').getByRole('link', { name: 'New conversation' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/projects/${projectId}`);
  },
);

journey('Start talking does not carry off a user who has left its page', async ({ ada, open }) => {
  const { id } = await ada.client.projects.create({ name: 'Acme Support' });
  const page = await open(`/projects/${id}`, { as: ada });
  const write = heldWrite(page, 'POST', new RegExp(`/projects/${id}/sessions$`));
  await page.getByRole('button', { name: 'Start talking' }).click();
  const late = await write;
  await page.getByRole('link', { name: 'Templates' }).click();
  await page.waitForURL('**/templates');
  // The page of the conversation is opened before this answer.
  const agent = page.waitForResponse(
    (answer) =>
      answer.request().method() === 'POST' && /\/sessions\/.*\/agents$/.test(answer.url()),
  );
  await late.continue();
  await agent;
  expect(new URL(page.url()).pathname).toBe(`/projects/${id}/templates`);
});

journey(
  'Start talking leads on although its list has shown the conversation meanwhile',
  async ({ ada, open }) => {
    const { id } = await ada.client.projects.create({ name: 'Acme Support' });
    const page = await open(`/projects/${id}`, { as: ada });
    const write = heldWrite(page, 'POST', new RegExp(`/projects/${id}/sessions$`));
    await page.getByRole('button', { name: 'Start talking' }).click();
    const late = await write;
    await ada.client.sessions.create(id, { name: 'Created meanwhile' });
    await page.getByRole('main').getByRole('link', { name: 'Created meanwhile' }).waitFor();
    await late.continue();
    await page.waitForURL('**/sessions/*');
  },
);
