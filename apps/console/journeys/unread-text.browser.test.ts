import { expect } from 'vitest';
import { say, startSession, untilRecorded } from '../testing/conversations.ts';
import { journey } from '../testing/journey.ts';
import { overflows } from '../testing/layout.ts';

const NO_AGENT = 'No agent read this. Start an agent, and say it again.';

journey.for(['light', 'dark'] as const)(
  'a first word that no agent read says so, and what to do: %s',
  async (theme, { ada, open, axe }) => {
    const { sessionId } = await startSession(ada);
    await untilRecorded(ada, sessionId);
    const page = await open(`/sessions/${sessionId}`, { as: ada, theme, width: 390 });
    await say(page, 'Is anybody there?');
    const message = page.getByRole('article').filter({ hasText: 'Is anybody there?' });
    await message.getByText(NO_AGENT).waitFor();
    const status = page.getByRole('status').filter({ hasText: NO_AGENT });
    expect(await status.textContent()).toBe(`“Is anybody there?”: ${NO_AGENT}`);
    expect(await overflows(page)).toEqual([]);
    await axe(page);
    // An agent that joins later does not receive the text.
    await ada.client.agents.start(sessionId, { role: 'echo-agent' });
    await message.getByText('No agent read this. Say it again:', { exact: false }).waitFor();
  },
);

journey('a first word that an agent reads stands there as it was', async ({ ada, open }) => {
  const { sessionId } = await startSession(ada);
  await untilRecorded(ada, sessionId);
  const { id } = await ada.client.agents.start(sessionId, { role: 'echo-agent' });
  await ada.client.agents.untilRunning(id);
  const page = await open(`/sessions/${sessionId}`, { as: ada });
  await say(page, 'Good morning');
  await page.getByText('You said: Good morning').first().waitFor();
  expect(await page.getByText('No agent', { exact: false }).count()).toBe(0);
});
