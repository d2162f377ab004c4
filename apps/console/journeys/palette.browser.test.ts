import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { startSession } from '../testing/conversations.ts';
import { journey } from '../testing/journey.ts';
import { hasFocus } from '../testing/keyboard.ts';
import { untilShown } from '../testing/layout.ts';

/** Chooses the first entry of the palette for a text. */
async function choose(page: Page, text: string, name: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to anything' }).fill(text);
  await page.getByRole('option', { name }).first().waitFor();
  await page.keyboard.press('Enter');
}

journey(
  'the palette starts an agent, copies the link, exports and closes the session of the page',
  async ({ ada, open, axe }) => {
    const { sessionId } = await startSession(ada);
    await ada.client.messages.say(sessionId, { content: 'Good morning' });
    const permissions = ['clipboard-read', 'clipboard-write'];
    const page = await open(`/sessions/${sessionId}`, { as: ada, permissions });
    await page.getByText('Good morning').first().waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Start an agent' }).waitFor();
    await axe(page);
    await page.keyboard.press('Escape');
    await choose(page, 'start', 'Start an agent');
    await page.getByRole('dialog', { name: 'Start an agent' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await choose(page, 'copy', 'Copy the link');
    await page.getByText('The link is copied.').waitFor();
    expect(await page.evaluate(async () => await navigator.clipboard.readText())).toBe(page.url());

    const downloading = page.waitForEvent('download');
    await choose(page, 'markdown', 'Export as Markdown');
    expect(await readFile(await (await downloading).path(), 'utf8')).toContain('Good morning');

    await choose(page, 'close', 'Close the session');
    await page.getByRole('button', { name: 'Close session' }).click();
    await page.getByText(/^Closed at/).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Export as Markdown' }).waitFor();
    expect(
      await page.getByRole('option', { name: /Start an agent|Close the session/ }).count(),
    ).toBe(0);
  },
);

journey(
  'the palette creates a session, searches all sessions and leads to keys and account',
  async ({ ada, open }) => {
    const { projectId } = await startSession(ada, 'Refund 4471');
    const page = await open(`/projects/${projectId}/members`, { as: ada, width: 390 });
    await untilShown(page);
    await choose(page, 'new', 'New session');
    await page.getByRole('dialog', { name: 'New session' }).waitFor();
    await page.keyboard.press('Escape');
    await choose(page, 'all sessions 44', 'Search all sessions for “all sessions 44”');
    await page.getByText('No session matches.').waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('all sessions 44');
    await choose(page, 'api', 'API keys');
    await page.getByText('No API key yet.').waitFor();
    expect(await page.evaluate(() => document.querySelector('dialog[open]'))).toBe(null);
    await choose(page, 'account', 'Account');
    const heading = page.getByRole('heading', { level: 1, name: 'Account' });
    await expect.poll(async () => await hasFocus(heading)).toBe(true);
  },
);
