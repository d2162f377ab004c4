import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { joinRoom, say, startSession } from '../testing/conversations.ts';
import { journey } from '../testing/journey.ts';
import { endlessMovements, untilShown } from '../testing/layout.ts';

/** A shift that users notice: the limit of *good* in the Core Web Vitals. */
const JUMP = 0.1;

/** Adds up by how much a page moves what it shows already, unless the user has just used it. */
async function noteShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.shifts = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const isOwn = 'hadRecentInput' in entry && entry.hadRecentInput === true;
        if (!isOwn && 'value' in entry) window.shifts += Number(entry.value);
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

journey(
  'with motion nothing jumps, and everything that moves comes to rest',
  async ({ ada, open }) => {
    const { sessionId, projectId } = await startSession(ada);
    await ada.client.messages.say(sessionId, { content: 'Good morning' });
    const motion = { as: ada, reducedMotion: 'no-preference', before: noteShifts } as const;
    const page = await open(`/sessions/${sessionId}`, { ...motion, width: 900 });
    await page.getByText('Good morning').waitFor();
    await joinRoom(page);
    // The agent starts while the page is watched: its steps and its presence appear.
    await ada.client.agents.start(sessionId, { role: 'echo-agent' });
    await page.getByRole('list', { name: 'In the room' }).waitFor();
    expect(await endlessMovements(page)).toEqual([]);
    await say(page, 'Hello');
    await page.getByText('You said: Hello').first().waitFor();
    await page.getByRole('button', { name: 'Agents, plan, recording and people' }).click();
    const sheet = page.getByRole('dialog', { name: 'About this session' });
    await sheet.getByRole('list', { name: 'Steps since the request' }).waitFor();
    expect(await endlessMovements(page)).toEqual([]);
    await page.keyboard.press('Escape');
    const lists = /\/projects\/[^/]+\/sessions\?/;
    // The list loads for ever, because its requests are never answered.
    await page.route(lists, () => {});
    await page.goto(`/projects/${projectId}`);
    await page.locator('main [aria-busy="true"]').waitFor();
    expect(await endlessMovements(page)).toEqual([]);
    await page.unroute(lists);
    // The upper list of two is answered last.
    const plans = page.waitForResponse(/plan-templates/).catch(() => null);
    await page.route(/env-templates/, async (route) => {
      await plans;
      await route.fallback();
    });
    for (const address of ['', '/templates', '/members', '/monitoring']) {
      expect(await page.evaluate(() => window.shifts)).toBeLessThan(JUMP);
      await page.goto(`/projects/${projectId}${address}`);
      await untilShown(page);
      expect(await endlessMovements(page)).toEqual([]);
    }
    expect(await page.evaluate(() => window.shifts)).toBeLessThan(JUMP);
  },
);

declare global {
  interface Window {
    shifts: number;
  }
}
