import { fillMessages } from '@session/testing/browser';
import { expect } from 'vitest';
import { joinRoom, startSession, untilRecorded } from '../testing/conversations.ts';
import { journey } from '../testing/journey.ts';

journey(
  'the last message stays in view while the field below the list grows',
  async ({ ada, stack, open }) => {
    const { sessionId } = await startSession(ada);
    await fillMessages(stack.databaseUrl, sessionId, 60);
    const page = await open(`/sessions/${sessionId}`, { as: ada });
    await joinRoom(page);
    const list = page.getByRole('region', { name: 'Conversation' });
    const hidden = async () =>
      await list.evaluate(
        ({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight,
      );
    await expect.poll(hidden).toBeLessThan(2);
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill('One\ntwo\nthree\nfour\nfive');
    await expect.poll(hidden).toBeLessThan(2);
    // A reader further up is not moved.
    await list.hover();
    await page.mouse.wheel(0, -1000);
    await expect.poll(hidden).toBeGreaterThan(998);
    await page.getByRole('button', { name: 'Latest' }).waitFor();
    const top = await list.evaluate(({ scrollTop }) => scrollTop);
    await field.fill('');
    await expect.poll(() => list.evaluate(({ scrollTop }) => scrollTop)).toBe(top);
  },
);

journey(
  'a run of joins and leaves that was opened stays open while it grows',
  async ({ ada, signUp, open }) => {
    const { sessionId, projectId } = await startSession(ada);
    const ben = await signUp('Ben Okafor');
    await ada.client.members.add(projectId, { email: ben.email });
    await untilRecorded(ada, sessionId);
    const page = await open(`/sessions/${sessionId}`, { as: ada });
    await joinRoom(page);
    const other = await open(`/sessions/${sessionId}`, { as: ben, width: 320 });
    const join = other.getByRole('button', { name: 'Join', exact: true });
    await join.click();
    await page.getByText('Ben Okafor joined').waitFor();
    await other.reload();
    await join.click();
    const run = page.getByRole('button', { name: / events$/ });
    await run.filter({ hasText: '4 events' }).click();
    await page.getByText('Ben Okafor left').waitFor();
    await other.reload();
    await join.click();
    const grown = run.filter({ hasText: '6 events' });
    await grown.waitFor();
    expect(await grown.getAttribute('aria-expanded')).toBe('true');
    await grown.click();
    expect(await grown.getAttribute('aria-expanded')).toBe('false');
  },
);
