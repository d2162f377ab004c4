import { fillToolCalls } from '@session/testing/browser';
import { expect } from 'vitest';
import { startSession } from '../testing/conversations.ts';
import { journey } from '../testing/journey.ts';
import { overflows } from '../testing/layout.ts';

const ARGUMENTS = { day: '2026-12-01', guest: '<b>Mina</b> \u202E'.repeat(9) };
const STARTED = { call: 'c1', tool: 'book_room', state: 'started', arguments: ARGUMENTS };
const DONE = { call: 'c1', tool: 'book_room', state: 'done', durationMs: 212, status: 200 };

journey(
  'a tool call is one line, from its start to its end, and opens to arguments and result',
  async ({ ada, stack, open, axe }) => {
    const { sessionId } = await startSession(ada);
    await fillToolCalls(stack.databaseUrl, sessionId, [STARTED]);
    const page = await open(`/sessions/${sessionId}`, { as: ada });
    await page.getByRole('button', { name: 'Light agent called book_room Started' }).click();
    await page.getByText('"day": "2026-12-01"').waitFor();
    await page.getByText('No result so far.').waitFor();
    await axe(page);

    const result = `{"room":"${'1'.repeat(300)}","floor":2}`;
    const failed = { call: 'c2', tool: 'pay', state: 'failed', status: 503, durationMs: 4100 };
    await fillToolCalls(stack.databaseUrl, sessionId, [
      { ...DONE, result: result.replace('1'.repeat(300), 'x'.repeat(300)), truncated: true },
      failed,
    ]);
    await page.reload();
    const pay = page.getByRole('button', { name: 'Light agent called pay Failed 4 s' });
    await pay.click();
    await page.getByText('Neither arguments nor result are recorded.').waitFor();
    await pay.click();
    await page.getByText('Neither arguments nor result').waitFor({ state: 'detached' });
    const book = page.getByRole('button', { name: /called book_room/ });
    expect(await book.allTextContents()).toEqual(['Light agent called book_roomDone0.2 s']);
    await book.click();
    await page.getByText('"day": "2026-12-01"').waitFor();
    await page.getByText('"floor": 2').waitFor();
    await page.getByText('Result, status 200').waitFor();
    await page.getByText('The rest was not kept.').waitFor();
    for (const width of [1280, 640, 320]) {
      await page.setViewportSize({ width, height: 640 });
      expect(await overflows(page)).toEqual([]);
    }
  },
);
