import { fillGaps, fillMessages } from '@session/testing/browser';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { joinRoom, startSession } from '../testing/conversations.ts';
import { journey } from '../testing/journey.ts';

const COUNT = 100_000;
const GAP_EVERY = 2000;
const READ = /\/messages(\/latest)?\?/;

/** Returns how many pixels the list is away from its end. */
async function fromEnd(page: Page): Promise<number> {
  return await page
    .getByRole('region', { name: 'Conversation' })
    .evaluate((list) => list.scrollHeight - list.scrollTop - list.clientHeight);
}

/** Returns whether the list shows a gap now. */
async function showsGap(page: Page): Promise<boolean> {
  return await page.getByRole('region', { name: 'Conversation' }).evaluate((list) => {
    const { top, bottom } = list.getBoundingClientRect();
    const gaps = [...list.querySelectorAll('article')].filter((row) =>
      row.textContent.includes('Not recorded for 8 s'),
    );
    return gaps.some((gap) => {
      const box = gap.getBoundingClientRect();
      return box.bottom > top && box.top < bottom;
    });
  });
}

/** Resolves when the list has left `from`, its former `scrollTop`, and stands still. */
async function untilStill(list: Locator, from: number): Promise<void> {
  await list.evaluate(async (element, former) => {
    const { top } = element.getBoundingClientRect();
    const position = () => {
      const tops = Array.from(
        element.querySelectorAll('article'),
        (row) => row.getBoundingClientRect().top,
      );
      return `${element.scrollTop} ${tops.find((rowTop) => rowTop > top + 100)}`;
    };
    let last = '';
    for (let stillFrames = 0; stillFrames < 5; ) {
      await new Promise(requestAnimationFrame);
      const now = position();
      stillFrames = now === last && element.scrollTop !== former ? stillFrames + 1 : 0;
      last = now;
    }
  }, from);
}

/**
 * Scrolls up step by step. Returns the largest number of pixels by which rows moved while nobody scrolled, when pages arrived.
 */
async function worstShift(page: Page, steps: number): Promise<number> {
  const list = page.getByRole('region', { name: 'Conversation' });
  const topOf = async (key: string | null) =>
    await list.evaluate((element, wanted) => {
      const rows = [...element.querySelectorAll('article')];
      const { top } = element.getBoundingClientRect();
      const row = rows.find((one) =>
        wanted === null
          ? one.getBoundingClientRect().top > top + 100
          : one.dataset['key'] === wanted,
      );
      return { key: row?.dataset['key'] ?? null, top: row?.getBoundingClientRect().top ?? null };
    }, key);
  let worst = 0;
  await list.hover();
  for (let step = 0; step < steps; step += 1) {
    const from = await list.evaluate(({ scrollTop }) => scrollTop);
    await page.mouse.wheel(0, -1500);
    await untilStill(list, from);
    const before = await topOf(null);
    await page.waitForTimeout(250);
    const after = await topOf(before.key);
    if (before.top === null || after.top === null) throw new Error('the row is gone');
    worst = Math.max(worst, Math.abs(after.top - before.top));
  }
  return worst;
}

journey(
  '100,000 messages open at their end, scroll without a jump, and lead to every gap',
  async ({ stack, ada, open }) => {
    const { sessionId } = await startSession(ada, 'Refund 4471');
    await fillMessages(stack.databaseUrl, sessionId, COUNT);
    await fillGaps(stack.databaseUrl, sessionId, GAP_EVERY);
    const page = await open(`/sessions/${sessionId}`, { as: ada });
    await expect.poll(() => fromEnd(page)).toBeLessThan(2);
    await joinRoom(page);
    await expect.poll(() => fromEnd(page)).toBeLessThan(2);
    expect(await worstShift(page, 12)).toBeLessThan(2);

    const asked: string[] = [];
    page.on('request', (request) => {
      if (READ.test(request.url())) asked.push(request.url());
    });
    // The tape leads to the middle, the key to the next gap, and G back.
    const tape = page.getByRole('slider', { name: /^Recording/ });
    const box = await tape.boundingBox();
    if (!box) throw new Error('the tape is not shown');
    await page.mouse.click(box.x + box.width * 0.4983, box.y + box.height / 2);
    await page
      .getByText(/^Message (49|50)\d{3}\./)
      .first()
      .waitFor();
    // One of them may be the request that waits for news.
    expect(asked.length).toBeLessThanOrEqual(5);
    await page.getByRole('region', { name: 'Conversation' }).focus();
    await page.keyboard.press(']');
    const gap = page.locator('article', { hasText: 'Not recorded for 8 s: connection lost' });
    await gap.first().waitFor();
    await page.keyboard.press('j');
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('ARTICLE');
    await page.getByRole('button', { name: 'Back to now' }).waitFor();
    await page.keyboard.press('g');
    await page.getByText('Ada Park joined').first().waitFor();
    await expect.poll(() => fromEnd(page)).toBeLessThan(2);
    expect(new URL(page.url()).searchParams.has('at')).toBe(false);
  },
);

journey(
  'a link to a moment opens it, a gap is found again after scrolling, and the way back leads to the live end',
  async ({ stack, ada, open }) => {
    const { sessionId } = await startSession(ada, 'Refund 4472');
    await fillMessages(stack.databaseUrl, sessionId, 4000);
    await fillGaps(stack.databaseUrl, sessionId, GAP_EVERY);
    const { items } = await ada.client.messages.list(sessionId, { limit: 1 });
    const newest = items.find(({ role }) => role !== 'system') ?? items[0];
    if (!newest) throw new Error('the history is empty');
    const at = new Date(Date.parse(newest.timestamp) - 3_000_000).toISOString();
    const page = await open(`/sessions/${sessionId}?at=${at}`, { as: ada });
    await page
      .getByText(/^Message (9\d\d|10\d\d)\./)
      .first()
      .waitFor();
    const list = page.getByRole('region', { name: 'Conversation' });
    await list.focus();
    await page.keyboard.press(']');
    await expect.poll(() => showsGap(page)).toBe(true);
    const address = page.url();
    await list.hover();
    await page.mouse.wheel(0, -1500);
    await expect.poll(() => showsGap(page)).toBe(false);
    await page.keyboard.press(']');
    await expect.poll(() => showsGap(page)).toBe(true);
    expect(page.url()).toBe(address);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await expect.poll(() => fromEnd(page)).toBeLessThan(2);
    await joinRoom(page);
  },
);
