import { expect } from 'vitest';
import { startSession } from '../testing/conversations.ts';
import { journey } from '../testing/journey.ts';
import { tabTo } from '../testing/keyboard.ts';
import { overflows } from '../testing/layout.ts';

/** More than fit on one page. */
const COUNT = 24;

journey(
  'a sentence is found by its words, and its hit leads to the message; keys are enough',
  async ({ ada, open, axe, expectFault }) => {
    const { messages } = ada.client;
    const { projectId, sessionId } = await startSession(ada);
    await messages.say(sessionId, { content: 'Wo liegt der Schlüssel zum Büro?' });
    for (let number = 0; number < COUNT; number += 1) {
      await messages.say(sessionId, { content: `Line ${number}.` });
    }
    await expect
      .poll(async () => (await messages.search(projectId, { q: `${COUNT - 1}` })).items)
      .toHaveLength(1);
    const page = await open(`/projects/${projectId}`, { as: ada });
    await page.getByRole('link', { name: 'Search', exact: true }).click();
    await page.getByText('Find a sentence in any session.').waitFor();
    await axe(page);

    await page.getByLabel('Words that were said').fill('nobody said this');
    await page.getByText('Nobody said that.').waitFor();
    await axe(page);
    await page.getByLabel('Words that were said').fill('BÜRO schlüssel');
    const hit = page.getByRole('list', { name: 'Messages' }).getByRole('link');
    await hit.filter({ hasText: 'Wo liegt der Schlüssel' }).waitFor();
    expect(await hit.locator('mark').allTextContents()).toEqual(['Schlüssel', 'Büro']);
    expect(new URL(page.url()).searchParams.get('q')).toBe('BÜRO schlüssel');
    await axe(page);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await overflows(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });

    await tabTo(hit);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/sessions/${sessionId}?at=*`);
    await expect
      .poll(async () => await page.locator('article[aria-current=true]').allTextContents())
      .toEqual([expect.stringContaining('Wo liegt der Schlüssel')]);
    await page.goBack();
    await hit.waitFor();

    await page.getByLabel('Words that were said').fill('line');
    await hit.filter({ hasText: `Line ${COUNT - 1}.` }).waitFor();
    const before = await hit.count();
    expectFault(/status of 500/);
    let isFailing = true;
    await page.route(/\/messages\/search\?.*cursor=/, async (route) => {
      if (!isFailing || route.request().method() === 'OPTIONS') return await route.continue();
      return await route.fulfill({ response: await route.fetch(), status: 500, body: '{}' });
    });
    await page.getByRole('button', { name: 'Show earlier messages' }).click();
    await page.getByRole('button', { name: 'Try again' }).first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(1);
    isFailing = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(async () => await hit.count()).toBeGreaterThan(before);
  },
);
