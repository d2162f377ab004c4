import { fillTalk, type SaidLine } from '@session/testing/browser';
import { expect } from 'vitest';
import { startSession } from '../testing/conversations.ts';
import { journey } from '../testing/journey.ts';
import { tabTo } from '../testing/keyboard.ts';

const COUNT = 200;
const PERMISSIONS = ['clipboard-read', 'clipboard-write'];

const LINES: readonly SaidLine[] = Array.from({ length: COUNT }, (_, index) => ({
  atSeconds: index,
  role: 'user',
  name: 'Ravi Rao',
  words: `Line ${index}.`,
}));

journey(
  'a link to a message leads whoever opens it to the message, marks it, and is left at the end',
  async ({ ada, stack, open, axe }) => {
    const { sessionId } = await startSession(ada);
    await fillTalk(stack.databaseUrl, sessionId, { minutes: 10, gapAtSeconds: 500, lines: LINES });
    const page = await open(`/sessions/${sessionId}`, { as: ada, permissions: PERMISSIONS });
    await page.getByText(`Line ${COUNT - 1}.`).waitFor();
    await page.keyboard.press('k');
    const row = page.getByRole('article').filter({ hasText: `Line ${COUNT - 9}.` });
    await row.hover();
    const copy = row.getByRole('button', { name: 'Copy the link to this message' });
    await axe(page);
    await tabTo(copy);
    await page.keyboard.press('Enter');
    await page.getByText('The link is copied. Members of the project can open it.').waitFor();
    const link = await page.evaluate(async () => await navigator.clipboard.readText());
    expect(new URL(link).pathname).toBe(`/sessions/${sessionId}`);

    const messages = await ada.client.messages
      .list(sessionId, { limit: 100 })
      .toArray({ limit: 1000 });
    const early = messages.find(({ content }) => content === 'Line 7.');
    const marked = page.locator('article[aria-current=true]');
    for (const [address, words] of [
      [link, `Line ${COUNT - 9}.`],
      [`/sessions/${sessionId}?at=${early?.timestamp}`, 'Line 7.'],
    ] as const) {
      await page.goto('/?all=true');
      await page.goto(address);
      await expect
        .poll(async () => await marked.allTextContents())
        .toEqual([expect.stringContaining(words)]);
      await expect.poll(async () => await marked.isVisible()).toBe(true);
    }
    await axe(page);
    await page.getByRole('button', { name: /Back to now|Latest/ }).click();
    await page.getByText(`Line ${COUNT - 1}.`).waitFor();
    expect(new URL(page.url()).search).toBe('');
    expect(await marked.count()).toBe(0);
  },
);
