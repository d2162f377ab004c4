import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { joinRoom, say, startSession } from '../testing/conversations.ts';
import { startHeldModel } from '../testing/held-model.ts';
import { journey } from '../testing/journey.ts';
import { renameValues } from '../testing/newer-api.ts';

const rowOf = (page: Page, state: string) => page.locator(`article[data-state=${state}]`);

/** Keeps a page out of the room. Its messages to the API fail, except between `open` and `close`. */
function blockSending(apiUrl: string) {
  let isOpen = false;
  return {
    open: () => {
      isOpen = true;
    },
    close: () => {
      isOpen = false;
    },
    before: async (page: Page) => {
      await page.route(/livekit-client/, () => {});
      await page.route(`${apiUrl}/sessions/*/messages`, async (route) => {
        if (isOpen || route.request().method() !== 'POST') return await route.fallback();
        return await route.abort();
      });
    },
  };
}

journey(
  'words that cannot be sent are sending, then not sent, and each is stored once when it is sent again',
  async ({ ada, stack, open, axe, expectFault }) => {
    expectFault(/ERR_FAILED/);
    const { sessionId } = await startSession(ada);
    const sending = blockSending(stack.apiUrl);
    const page = await open(`/sessions/${sessionId}`, { as: ada, before: sending.before });
    await page.getByRole('button', { name: 'Recording', exact: true }).waitFor();
    await say(page, 'First words');
    await rowOf(page, 'sending').getByText('Sending …').waitFor();
    await axe(page);
    const failed = rowOf(page, 'failed');
    await failed.getByText('Not sent').waitFor();
    await axe(page);
    sending.open();
    await failed.getByRole('button', { name: 'Try again' }).click();
    await rowOf(page, 'complete').getByText('First words', { exact: true }).waitFor();

    sending.close();
    await say(page, 'Second words');
    await rowOf(page, 'sending').waitFor();
    await page.reload();
    await page.getByText('A message was not sent when you left this page').waitFor();
    await axe(page);
    sending.open();
    await page.getByRole('button', { name: 'Send now' }).click();
    await rowOf(page, 'complete').getByText('Second words', { exact: true }).waitFor();
    await page.getByText('A message was not sent').waitFor({ state: 'detached' });
    const { items } = await ada.client.messages.list(sessionId);
    const said = items.filter(({ role }) => role === 'user').map(({ content }) => content);
    expect(said).toEqual(['Second words', 'First words']);
  },
);

journey(
  'words that a session no longer takes, because it was closed, are shown until they are discarded',
  async ({ ada, stack, open, axe, expectFault }) => {
    expectFault(/ERR_FAILED/);
    const { sessionId } = await startSession(ada);
    const { before } = blockSending(stack.apiUrl);
    const permissions = ['clipboard-read', 'clipboard-write'];
    const page = await open(`/sessions/${sessionId}`, { as: ada, before, permissions });
    await say(page, 'First words');
    await rowOf(page, 'sending').waitFor();
    await page.reload();
    await page.getByText('A message was not sent when you left this page').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('Half a thought');
    await ada.client.sessions.close(sessionId);
    await page.getByText(/^Closed at/).waitFor();
    const words = page.getByText('First words\nHalf a thought');
    await words.waitFor();
    await axe(page);
    await page.reload();
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate(async () => await navigator.clipboard.readText());
    expect(copied).toBe('First words\nHalf a thought');
    await page.getByRole('button', { name: 'Discard' }).click();
    await words.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText(/^Closed at/).waitFor();
    expect(await words.count()).toBe(0);
  },
);

journey(
  'words said where nobody records say so, and offer to be said again',
  async ({ ada, stack, open, axe, expectFault }) => {
    expectFault(/ERR_FAILED/);
    const { sessionId } = await startSession(ada);
    const sending = blockSending(stack.apiUrl);
    const page = await open(`/sessions/${sessionId}`, {
      as: ada,
      before: async (opened) => {
        await renameValues(opened, stack.apiUrl, { recording: 'lost' });
        await sending.before(opened);
      },
    });
    await page.getByRole('button', { name: 'Not recorded', exact: true }).waitFor();
    await say(page, 'Is anybody there?');
    const row = rowOf(page, 'unrecorded');
    await row.getByText('Said here, not recorded').waitFor();
    await axe(page);
    sending.open();
    await row.getByRole('button', { name: 'Try again' }).click();
    await rowOf(page, 'complete').getByText('Is anybody there?').waitFor();
  },
);

journey(
  'an answer that is still spoken is shown as far as it is, and to its end in its place',
  async ({ ada, open, axe }) => {
    await using model = await startHeldModel('Let me think ', ' Done.');
    const { sessionId, projectId } = await startSession(ada);
    const variables = {
      LLM_API_KEY: 'held',
      LLM_BASE_URL: model.baseUrl,
      LLM_MODEL: 'held',
      GREETING: 'off',
    };
    await ada.client.envTemplates.create(projectId, { name: 'Held', variables });
    const agent = await ada.client.agents.start(sessionId, { role: 'light-agent' });
    await ada.client.agents.untilRunning(agent.id);
    const page = await open(`/sessions/${sessionId}`, { as: ada });
    await page.getByText('Light agent joined').waitFor();
    await page.getByRole('button', { name: 'Recording', exact: true }).waitFor();
    // A page receives only the streams that begin after it joined.
    await joinRoom(page);
    await say(page, 'Can you help me?');
    const speaking = rowOf(page, 'speaking');
    await speaking.getByText('Let me think').waitFor();
    await axe(page);
    const key = await speaking.getAttribute('data-key');
    model.release();
    const done = page.locator(`article[data-key="${key}"][data-state=complete]`);
    await done.getByText(/^Let me think \.* Done\.$/).waitFor();
    expect(await page.getByText(/^Let me think/).count()).toBe(1);
  },
);
