import { expect } from 'vitest';
import {
  joinRoom,
  say,
  shownWords,
  startSession,
  untilRecorded,
} from '../testing/conversations.ts';
import { journey } from '../testing/journey.ts';

const WAIT = { timeout: 90_000 };

journey(
  'a recorder that is killed leaves a gap on the tape and in the list',
  async ({ own, open, expectFault }) => {
    expectFault(own.requests);
    const ada = await own.signUp('Ada Park');
    const { sessionId } = await startSession(ada);
    await untilRecorded(ada, sessionId);
    const page = await open(`/sessions/${sessionId}`, own.pageOf(ada));
    await say(page, 'Before the gap');
    await expect.poll(() => shownWords(page)).toEqual(['Before the gap']);
    await page.getByRole('button', { name: 'Recording', exact: true }).waitFor();
    await own.kill('recorder-1');
    await page.locator('article', { hasText: /Not recorded for/ }).waitFor(WAIT);
    const gaps = page.getByRole('button', { name: /^1 gap, .* not recorded$/ });
    await gaps.waitFor(WAIT);
    await say(page, 'After the gap');
    await expect.poll(() => shownWords(page), WAIT).toEqual(['Before the gap', 'After the gap']);
    await gaps.click();
    await page.waitForURL(/[?&]at=/);
    await page.locator('article', { hasText: /Not recorded for/ }).waitFor();
    await ada.client.sessions.close(sessionId);
    await page.getByText('What was recorded is kept.').waitFor();
  },
);

journey(
  'a closed session in which a message never arrived does not promise every word',
  async ({ ada, open }) => {
    const { sessionId } = await startSession(ada);
    const second = { content: 'The first never arrived', seq: { q: 'page', n: 2 } };
    await ada.client.messages.say(sessionId, second);
    const missing = async () => (await ada.client.sessions.get(sessionId)).recording.missing.length;
    await expect.poll(missing, WAIT).toBe(1);
    await ada.client.sessions.close(sessionId);
    const page = await open(`/sessions/${sessionId}`, { as: ada });
    await page.getByText('What was recorded is kept.').waitFor();
  },
);

journey(
  'a closed session whose messages the project no longer keeps says that they were deleted',
  async ({ ada, stack, open }) => {
    const { sessionId } = await startSession(ada);
    await ada.client.sessions.close(sessionId);
    const page = await open(`/sessions/${sessionId}`, {
      as: ada,
      before: async (opened) =>
        await opened.route(`${stack.apiUrl}/sessions/${sessionId}`, async (route) => {
          if (route.request().method() !== 'GET') return await route.fallback();
          const response = await route.fetch();
          const session = { ...(await response.json()), historyFrom: '2026-03-01T10:00:00.000Z' };
          return await route.fulfill({ response, json: session });
        }),
    });
    await page.getByText('No message is left.').waitFor();
    await page.getByText(/^Messages until 1 Mar 2026, 10:00:00 were deleted/).waitFor();
    await page.getByText(/Every word since 1 Mar 2026, 10:00:00 is kept\./).waitFor();
  },
);

journey(
  'words said while the media server is killed are neither lost nor doubled',
  async ({ own, open, expectFault }) => {
    expectFault(own.requests);
    // LiveKit and the browser report each attempt to reach a server that is gone.
    expectFault(/livekit|websocket|signal|rtc|ERR_|connection|status of 503/i);
    const [ada, ben] = await Promise.all([own.signUp('Ada Park'), own.signUp('Ben Okafor')]);
    const { sessionId, projectId } = await startSession(ada);
    await ada.client.members.add(projectId, { email: ben.email });
    const pages = await Promise.all(
      [ada, ben].map((person) => open(`/sessions/${sessionId}`, own.pageOf(person))),
    );
    const [one, other] = pages;
    // The list renders only what fits into the window: here all words at once.
    for (const page of pages) await page.setViewportSize({ width: 1280, height: 3000 });
    if (!one || !other) throw new Error('two pages are needed');
    await joinRoom(one);
    await joinRoom(other, 'Ben Okafor');
    await one.getByText('Ben Okafor joined').waitFor();
    const said: string[] = [];
    for (let round = 0; round < 6; round += 1) {
      if (round === 2) await own.kill('media');
      for (const [name, page] of [
        ['Ada', one],
        ['Ben', other],
      ] as const) {
        const words = `${name} says ${round}`;
        said.push(words);
        await say(page, words);
      }
    }
    for (const page of pages) {
      await expect
        .poll(async () => (await shownWords(page)).toSorted(), WAIT)
        .toEqual(said.toSorted());
      await expect
        .poll(() => page.locator('article:not([data-state=complete])').count(), WAIT)
        .toBe(0);
    }
    const { items } = await ada.client.messages.list(sessionId, { limit: 100 });
    const history = items.filter(({ role }) => role !== 'system').map(({ content }) => content);
    // A word that is sent again moves to the end of the list.
    for (const page of pages)
      await expect.poll(() => shownWords(page), WAIT).toEqual(history.toReversed());
  },
);

journey(
  'a log goes on after the API was killed, without a line twice',
  async ({ own, open, expectFault }) => {
    expectFault(own.requests);
    expectFault(/ERR_|status of 50/);
    const ada = await own.signUp('Ada Park');
    const { sessionId } = await startSession(ada);
    const config = { restart: 'on-failure' } as const;
    const agent = await ada.client.agents.start(sessionId, { role: 'echo-agent', config });
    await ada.client.agents.untilRunning(agent.id);
    const page = await open(`/sessions/${sessionId}/agents/${agent.id}`, own.pageOf(ada));
    const joined = page.getByRole('region', { name: 'Lines of the log' }).getByText(/joined room/);
    await joined.first().waitFor();
    expect(await joined.count()).toBe(1);
    await own.kill('api');
    // The next API process starts the agent again, and the log of the agent continues.
    await expect.poll(() => joined.count()).toBe(2);
    await page.getByText('Following').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Restarting' }).waitFor();
  },
);
