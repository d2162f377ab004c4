import { expect } from 'vitest';
import { startSession } from '../testing/conversations.ts';
import { journey } from '../testing/journey.ts';
import { overflows } from '../testing/layout.ts';

const ESCAPE = '\u001B';
const LINES = [
  'W'.repeat(65_536),
  '<img src="https://foreign.example/a.png" onerror="fetch(\'https://foreign.example\')">',
  `${ESCAPE}[31;1mred${ESCAPE}[0m${ESCAPE}]0;title\u0007 and plain`,
  '\u202Egnp.exe \u05E9\u05DC\u05D5\u05DD \u200B\uFEFF',
  '{"turn":{"outcome":"answered","text":"<b>bold</b>"}}',
  `{"deep":${'['.repeat(5000)}${']'.repeat(5000)}}`,
  '',
];

journey(
  'hostile lines of a log are text, break no layout, and are cut on the page alone',
  async ({ ada, stack, open, axe }) => {
    const { sessionId } = await startSession(ada);
    const agent = await ada.client.agents.start(sessionId, { role: 'echo-agent' });
    const timestamp = new Date().toISOString();
    const events = LINES.map(
      (line, index) => `id: ${index + 1}\ndata: ${JSON.stringify({ timestamp, line })}\n\n`,
    );
    const page = await open(`/sessions/${sessionId}/agents/${agent.id}`, {
      as: ada,
      // No agent of this service writes such lines.
      before: async (opened) =>
        await opened.route(`${stack.apiUrl}/agents/*/logs*`, async (route) => {
          if (route.request().method() === 'OPTIONS') return await route.continue();
          const headers = {
            'access-control-allow-origin': new URL(stack.consoleUrl).origin,
            'content-type': 'text/event-stream',
          };
          const body = `${events.join('')}event: complete\ndata: {}\n\n`;
          return await route.fulfill({ status: 200, headers, body });
        }),
    });
    const log = page.getByRole('region', { name: 'Lines of the log' });
    await log.getByText('61,536 more characters').waitFor();
    await log.getByText('<img src="https://foreign.example/a.png"').waitFor();
    await log.getByText('red and plain', { exact: true }).waitFor();
    await log.getByText('turn outcome=answered text=<b>bold</b>').waitFor();
    expect(await log.locator('img, b').count()).toBe(0);
    await axe(page);
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 700 });
      expect(await overflows(page)).toEqual([]);
    }
    await page.getByRole('searchbox', { name: 'Search the log' }).fill('OUTCOME=');
    await page.getByText('1 found').waitFor();
  },
);
