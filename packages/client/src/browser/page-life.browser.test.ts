import { isDeepStrictEqual } from 'node:util';
import { openRoomService } from '@session/media';
import type { Browser, Page } from '@session/testing/browser-test';
import { expect } from 'vitest';
import {
  type BrowserTalker,
  saidIn,
  type TalkSession,
  talkTest as test,
} from '../../testing/talks.ts';

/** Says some words through the API, as another person would, and returns when the history has them. */
async function sayElsewhere(
  world: {
    client: { messages: { say: (id: string, body: { content: string }) => Promise<unknown> } };
  },
  { sessionId }: TalkSession,
  texts: readonly string[],
) {
  for (const content of texts) await world.client.messages.say(sessionId, { content });
}

/** Returns the reads of what is new that a page has sent, and those that are still open. */
function watchReads(page: Page) {
  const open = new Set<object>();
  const sent: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    const read = /\/messages\/(latest|stream)$/.exec(pathname);
    if (!read) return;
    sent.push(searchParams.get('wait') ?? 'stream');
    open.add(request);
  });
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
  return { sent, open };
}

/** Resolves when the page shows this many messages, all of them as in the history. */
async function showsHistory(talker: BrowserTalker, session: TalkSession, length: number) {
  await expect
    .poll(async () => {
      const [shown, history] = [await saidIn(talker), await session.history()];
      return [shown.length, isDeepStrictEqual(shown, history)];
    })
    .toEqual([length, true]);
}

test('a page that is about to be frozen ends the request that it holds open, and is complete within one read when it resumes', async ({
  world,
  session,
}) => {
  const talker = await session.join('Ada');
  const { page } = talker;
  // A headless Chromium freezes a page without sending these events.
  const fire = async (type: string) =>
    await page.evaluate((name) => document.dispatchEvent(new Event(name, { bubbles: true })), type);
  const reads = watchReads(page);
  await fire('freeze');
  await expect.poll(() => [reads.sent.at(-1), reads.open.size]).toEqual(['0', 0]);
  const { length } = reads.sent;
  await sayElsewhere(world, session, ['one', 'two', 'three']);
  // LiveKit's SDK left the room at the event. The page still runs here, joins again, and reads what it may have missed.
  expect(reads.sent.slice(length).filter((read) => read !== '0')).toEqual([]);
  const { length: resumedAt } = reads.sent;
  await fire('resume');
  await showsHistory(talker, session, 3);
  expect(reads.sent[resumedAt]).toBe('0');
  await page.waitForFunction(() => window.talk.connection === 'live');
});

/** Stops all pages and their connections, as sleep does, without an event. Disposal resumes them. */
async function putToSleep(browser: Browser): Promise<Disposable> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const pages = processInfo.filter(({ type }) => type === 'renderer');
  for (const { id } of pages) process.kill(id, 'SIGSTOP');
  return {
    [Symbol.dispose]() {
      for (const { id } of pages) process.kill(id, 'SIGCONT');
    },
  };
}

test('a page that slept until the media server dropped it joins again, and is complete', {
  timeout: 240_000,
}, async ({ browser, world, session }) => {
  const talker = await session.join('Ada');
  const { page } = talker;
  await page.evaluate(() => window.talk.conversation.say('good night'));
  await showsHistory(talker, session, 1);
  const rooms = openRoomService(world.media);
  const count = async () => (await rooms.listParticipants(session.sessionId)).length;
  await expect.poll(count).toBe(1);
  const reads = watchReads(page);
  {
    using _ = await putToSleep(browser);
    await expect.poll(count, { timeout: 90_000, interval: 1000 }).toBe(0);
    await sayElsewhere(world, session, ['one', 'two', 'three']);
  }
  await showsHistory(talker, session, 4);
  // A page that has just woken up has not noticed yet that it was dropped.
  await expect.poll(count).toBe(1);
  await page.waitForFunction(() => window.talk.connection === 'live');
  expect(reads.sent).toContain('0');
  await page.evaluate(() => window.talk.conversation.say('good morning'));
  await showsHistory(talker, session, 5);
});

test('offline and back: what was said meanwhile is there, and what one says offline is sent', async ({
  world,
  session,
}) => {
  const talker = await session.join('Ada');
  const { page, context } = talker;
  await context.setOffline(true);
  await page.waitForFunction(() => window.talk.connection === 'offline');
  await sayElsewhere(world, session, ['one', 'two']);
  await page.evaluate(() => window.talk.conversation.say('from the tunnel'));
  await context.setOffline(false);
  await page.waitForFunction(() => window.talk.connection === 'live');
  await showsHistory(talker, session, 3);
});

test('a hidden page holds no request open, and reads at once when it is shown', async ({
  world,
  session,
}) => {
  const talker = await session.join('Ada');
  const { page } = talker;
  // A headless Chromium never hides a page.
  const setHidden = async (state: string) =>
    await page.evaluate((value) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, value });
      document.dispatchEvent(new Event('visibilitychange'));
    }, state);
  const reads = watchReads(page);
  await setHidden('hidden');
  await expect.poll(() => reads.sent.at(-1)).toBe('0');
  await expect.poll(() => reads.open.size).toBe(0);
  const { length } = reads.sent;
  await sayElsewhere(world, session, ['one']);
  await setHidden('visible');
  await showsHistory(talker, session, 1);
  expect(reads.sent[length]).toBe('0');
});
