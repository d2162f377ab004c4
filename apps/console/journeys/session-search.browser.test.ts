import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { journey } from '../testing/journey.ts';
import { overflows, untilShown } from '../testing/layout.ts';
import type { Person } from '../testing/people.ts';

const row = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Sessions' }).getByRole('link', { name });

async function createSessions({ client }: Person): Promise<string> {
  const { id } = await client.projects.create({ name: 'Acme Support' });
  await client.sessions.create(id, {
    name: 'Refund 4471',
    externalId: 'order-4711',
    metadata: { customer: 'c-17' },
  });
  await client.sessions.create(id, { name: 'Late refund', metadata: { customer: 'c-18' } });
  const planning = await client.sessions.create(id, { name: 'Weekly planning' });
  await client.sessions.createToken(planning.id, { participant: { id: 'user-7', name: 'Mina' } });
  await client.sessions.close(planning.id);
  return id;
}

journey(
  'sessions are found by words, status, external id, metadata and day; the address keeps the search',
  async ({ ada, open, axe }) => {
    const id = await createSessions(ada);
    const page = await open(`/projects/${id}`, {
      as: ada,
      before: async (opened) => await opened.clock.install(),
    });
    const asked = new Set<string>();
    page.on('request', (request) => {
      const sought = new URL(request.url()).searchParams.get('q');
      if (sought !== null) asked.add(sought);
    });
    const field = page.getByRole('searchbox', { name: 'Search by name' });
    await row(page, 'Weekly planning').waitFor();
    // The page's clock stands still, so there is no pause between the keys, however long they take.
    await page.clock.pauseAt(Date.now() + 60_000);
    await field.pressSequentially('refund');
    await page.clock.resume();
    await row(page, 'Weekly planning').waitFor({ state: 'detached' });
    expect(await row(page, 'refund').count()).toBe(2);
    expect(new URL(page.url()).searchParams.get('q')).toBe('refund');
    expect(asked).toEqual(new Set(['refund']));

    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Metadata').fill('customer');
    await page.getByLabel('Metadata').pressSequentially('=c-17');
    await row(page, 'Late refund').waitFor({ state: 'detached' });
    await row(page, 'Refund 4471').waitFor();
    await page.getByLabel('External id').fill('order-4711');
    await page.getByLabel('Created from').fill('2020-01-01');
    await page.getByLabel('Created until').fill('2101-12-31');
    await page.waitForURL(/until=2101-12-31/);
    await row(page, 'Refund 4471').waitFor();
    await axe(page);

    await row(page, 'Refund 4471').click();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    await page.goBack();
    await row(page, 'Refund 4471').waitFor();
    await page.reload();
    await row(page, 'Refund 4471').waitFor();
    expect(await field.inputValue()).toBe('refund');
    expect(await page.getByLabel('Metadata').inputValue()).toBe('customer=c-17');

    await page.getByRole('search').getByText('Closed').click();
    await page.getByText('No session matches.').waitFor();
    await page
      .getByText(
        /^Sought: “refund” in the name, closed, the external id “order-4711”, the metadata/,
      )
      .waitFor();
    await axe(page);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await overflows(page)).toEqual([]);
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await row(page, 'Weekly planning').waitFor();
    expect(new URL(page.url()).search).toBe('');
    expect(await field.inputValue()).toBe('');
    expect(await page.getByLabel('External id').inputValue()).toBe('');
  },
);

journey(
  'the sessions of an end user are found by the id that the customer gave',
  async ({ ada, open }) => {
    const id = await createSessions(ada);
    const page = await open(`/projects/${id}`, { as: ada, width: 390 });
    await row(page, 'Refund 4471').waitFor();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('End user').fill('user-7');
    await row(page, 'Refund 4471').waitFor({ state: 'detached' });
    await row(page, 'Weekly planning').waitFor();
  },
);

journey('the oldest sessions stand first where that is chosen', async ({ ada, open }) => {
  const id = await createSessions(ada);
  const page = await open(`/projects/${id}?order=asc`, { as: ada, theme: 'dark' });
  await row(page, 'Weekly planning').waitFor();
  const names = await page
    .getByRole('list', { name: 'Sessions' })
    .getByRole('heading')
    .allTextContents();
  expect(names).toEqual(['Refund 4471', 'Late refund', 'Weekly planning']);
});

journey(
  'what is typed while an answer is awaited stays, and the former search is given up',
  async ({ ada, open }) => {
    const id = await createSessions(ada);
    const answered = Promise.withResolvers<void>();
    const page = await open(`/projects/${id}`, {
      as: ada,
      before: async (opened) =>
        await opened.route(/[?&]q=ref(&|$)/, async (route) => {
          await answered.promise;
          await route.continue().catch(() => {});
        }),
    });
    const ended = page.waitForEvent('requestfailed', (request) => /q=ref(&|$)/.test(request.url()));
    const field = page.getByRole('searchbox', { name: 'Search by name' });
    await row(page, 'Weekly planning').waitFor();
    const held = page.waitForRequest(/[?&]q=ref(&|$)/);
    // Filled at once, because after a pause between keys the page would search for a part of the text.
    await field.fill('ref');
    await held;
    // The former list stays until there is an answer.
    expect(await row(page, 'Weekly planning').count()).toBe(1);
    await field.press('End');
    await field.pressSequentially('und 4');
    await ended;
    await row(page, 'Late refund').waitFor({ state: 'detached' });
    await row(page, 'Refund 4471').waitFor();
    expect(await field.inputValue()).toBe('refund 4');
    answered.resolve();
  },
);

journey(
  'a search that has not looked at all sessions says how far it is, and goes on when asked',
  async ({ ada, open, axe }) => {
    const id = await createSessions(ada);
    const { items } = await ada.client.sessions.list(id);
    const [newest, , oldest] = items;
    const asked: (string | null)[] = [];
    const page = await open(`/projects/${id}?q=refund`, {
      as: ada,
      before: async (opened) =>
        await opened.route(/\/sessions\?.*q=refund/, async (route) => {
          if (route.request().method() === 'OPTIONS') return await route.continue();
          const cursor = new URL(route.request().url()).searchParams.get('cursor');
          asked.push(cursor);
          const response = await route.fetch();
          const json = cursor
            ? { items: [oldest], nextCursor: null }
            : { items: [], nextCursor: newest?.id };
          return await route.fulfill({ response, json });
        }),
    });
    const day = new Intl.DateTimeFormat('en-GB', {
      day: 'numeric',
      month: 'long',
      timeZone: 'UTC',
    });
    const today = day.format(Date.parse(newest?.createdAt ?? ''));
    await page.getByText(`Nothing found yet. Searched back to ${today}.`).waitFor();
    await untilShown(page);
    await axe(page);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await overflows(page)).toEqual([]);
    expect(asked).toEqual([null]);
    await page.getByRole('button', { name: 'Go on' }).click();
    await row(page, 'Refund 4471').waitFor();
    expect(asked.at(-1)).toBe(newest?.id);
    expect(await page.getByRole('button', { name: 'Go on' }).count()).toBe(0);
  },
);
