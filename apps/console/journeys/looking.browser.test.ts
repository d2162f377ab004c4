import type { Client } from '@session/client';
import { disposeRooms, nodeRoom } from '@session/client/node';
import { afterAll, expect } from 'vitest';
import { prepareAskingAgent } from '../testing/asking-agent.ts';
import {
  joinRoom,
  say,
  shownWords,
  startSession,
  untilRecorded,
} from '../testing/conversations.ts';
import { journey } from '../testing/journey.ts';

afterAll(async () => await disposeRooms());

/** Returns what the history has, the oldest first, without what differs between two sessions. */
async function historyOf(client: Client, sessionId: string): Promise<string[]> {
  const items = await client.messages.list(sessionId).toArray({ limit: 1000 });
  return items.toReversed().map(({ role, content }) => `${role}: ${content}`);
}

const spokenIn = (history: readonly string[]) =>
  history.filter((line) => line.startsWith('assistant'));
const visitsOf = (history: readonly string[], name: string) =>
  history.filter((line) => line.endsWith(`${name} joined`));

journey(
  'a page that opens a session leaves nothing in its history, and a waiting agent says nothing to it',
  async ({ ada, open }) => {
    const [looked, joined] = [await prepareAskingAgent(ada), await prepareAskingAgent(ada)];
    const { client } = ada;
    for (const { sessionId, start } of [looked, joined]) {
      await start();
      await expect
        .poll(async () => spokenIn(await historyOf(client, sessionId)).length)
        .toBeGreaterThan(0);
    }
    const before = await historyOf(client, looked.sessionId);
    const page = await open(`/sessions/${looked.sessionId}`, { as: ada });
    await page.getByRole('list', { name: 'In the room' }).getByText('Core agent').waitFor();
    await page
      .getByText('You are looking: nobody in the room sees you.', { exact: false })
      .waitFor();
    // In the other session, a person joins after the page was opened, and stays silent. So the agent asks once more.
    const other = await open(`/sessions/${joined.sessionId}`, { as: ada });
    await joinRoom(other);
    await expect
      .poll(async () => spokenIn(await historyOf(client, joined.sessionId)).length)
      .toBe(spokenIn(before).length + 1);
    expect(await historyOf(client, looked.sessionId)).toEqual(before);
    expect(visitsOf(before, 'Ada Park')).toEqual([]);
  },
);

journey(
  'the button joins once, keeps what was read in its place, and two tabs are one person',
  async ({ ada, open }) => {
    const { sessionId } = await startSession(ada);
    await untilRecorded(ada, sessionId);
    await ada.client.messages.say(sessionId, { content: 'Said before' });
    const page = await open(`/sessions/${sessionId}?panel=people`, { as: ada });
    await page.getByText('You are not in the room yet.').waitFor();
    await joinRoom(page);
    await page.waitForFunction(() => document.activeElement?.matches('main textarea'));
    expect(await page.getByRole('button', { name: 'Join', exact: true }).count()).toBe(0);
    expect(await shownWords(page)).toEqual(['Said before']);
    const tab = await page.context().newPage();
    await tab.goto(`/sessions/${sessionId}?panel=people`);
    await tab.getByRole('button', { name: 'Join', exact: true }).click();
    await expect
      .poll(async () => visitsOf(await historyOf(ada.client, sessionId), 'Ada Park').length)
      .toBe(2);
    const people = tab.getByRole('region', { name: 'In the room' }).getByRole('listitem');
    await people.first().waitFor();
    await expect.poll(() => people.allInnerTexts()).toHaveLength(1);
    await people.getByText('You', { exact: true }).waitFor();
  },
);

journey('the first word joins, and is there once', async ({ ada, open }) => {
  const { sessionId } = await startSession(ada);
  await untilRecorded(ada, sessionId);
  const page = await open(`/sessions/${sessionId}`, { as: ada });
  await say(page, 'Hello');
  await page.getByText('Ada Park joined').waitFor();
  await expect.poll(() => shownWords(page)).toEqual(['Hello']);
  await say(page, 'And again');
  await expect.poll(() => shownWords(page)).toEqual(['Hello', 'And again']);
  await expect.poll(() => page.locator('article:not([data-state=complete])').count()).toBe(0);
  const said = (await historyOf(ada.client, sessionId)).filter((line) => line.startsWith('user'));
  expect(said).toEqual(['user: Hello', 'user: And again']);
});

journey('the microphone joins', async ({ ada, open }) => {
  const { sessionId } = await startSession(ada);
  await untilRecorded(ada, sessionId);
  const page = await open(`/sessions/${sessionId}`, { as: ada });
  await page.getByRole('button', { name: 'Talk', exact: true }).click();
  await page.getByText('Ada Park joined').waitFor();
  await page.getByRole('button', { name: 'Mute the microphone' }).waitFor();
});

journey(
  'an observer and a page that looks leave no trace: history, presence, the agent’s events and its idle time are the same',
  async ({ ada, open }) => {
    const { client } = ada;
    const [plain, observed] = [
      await prepareAskingAgent(ada, 0.2),
      await prepareAskingAgent(ada, 0.2),
    ];
    for (const { sessionId } of [plain, observed]) await untilRecorded(ada, sessionId);
    await using observer = client.conversation(observed.sessionId, {
      room: nodeRoom(),
      mode: 'observe',
    });
    await observer.open();
    await expect.poll(() => observer.timeline.getSnapshot().connection).toBe('live');
    await open(`/sessions/${observed.sessionId}`, { as: ada });
    const talk = async ({ sessionId, start }: typeof plain) => {
      await using conversation = client.conversation(sessionId, { room: nodeRoom() });
      const answers = async (count: number) =>
        await expect
          .poll(async () => spokenIn(await historyOf(client, sessionId)).length)
          .toBe(count);
      await conversation.open();
      await expect.poll(() => conversation.timeline.getSnapshot().connection).toBe('live');
      // The agent leaves after twelve seconds without a person, so it starts once the person is there.
      const agentId = await start();
      // The question, and the one after the silence.
      await answers(2);
      await conversation.say('No idea');
      await answers(3);
      await conversation.close();
      await expect.poll(async () => (await client.agents.get(agentId)).status).toBe('Stopped');
      await expect
        .poll(async () => {
          const lines = await historyOf(client, sessionId);
          return lines.filter((line) => line.endsWith(' left')).length;
        })
        .toBe(2);
      const { reason } = await client.agents.get(agentId);
      const { items } = await client.agents.timeline(agentId);
      return { reason, steps: items.map(({ event }) => event) };
    };
    const ends = await Promise.all([plain, observed].map(talk));
    expect(ends[1]).toEqual(ends[0]);
    await expect
      .poll(async () => await historyOf(client, observed.sessionId))
      .toEqual(await historyOf(client, plain.sessionId));
    const history = await historyOf(client, observed.sessionId);
    for (const name of ['Ada Park', 'core-agent']) {
      expect(history.filter((line) => line.endsWith(`${name} joined`))).toHaveLength(1);
      expect(history.filter((line) => line.endsWith(`${name} left`))).toHaveLength(1);
    }
    expect(observer.timeline.getSnapshot().items.length).toBeGreaterThan(0);
  },
);
