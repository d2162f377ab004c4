import type { Page } from '@session/testing/browser-test';
import { expect } from 'vitest';
import { talkTest as test } from '../../testing/talks.ts';

/** Notes the tokens that a page uses, the URLs that it asks for, and what it writes to its console. */
function watch(page: Page) {
  const userTokens = new Set<string>();
  const roomTokens = new Set<string>();
  const urls: string[] = [];
  const written: string[] = [];
  page.on('request', (request) => {
    urls.push(request.url());
    const { authorization } = request.headers();
    if (authorization) userTokens.add(authorization.replace('Bearer ', ''));
  });
  page.on('response', async (response) => {
    if (!response.url().endsWith('/token') || !response.ok()) return;
    const { participantToken }: { participantToken: string } = await response.json();
    roomTokens.add(participantToken);
  });
  page.on('console', (message) => written.push(message.text()));
  page.on('pageerror', (error) => written.push(String(error.stack)));
  return { userTokens, roomTokens, urls, written };
}

test('the caller’s token is in no URL and not on the page’s console, also when the media server and the API are killed', async ({
  world: { api, media },
  session,
}) => {
  const found: ReturnType<typeof watch>[] = [];
  const { page } = await session.join('Ada', {
    before: async (opened) => void found.push(watch(opened)),
  });
  await page.evaluate(() => window.talk.room.microphone.enable());
  await page.evaluate(() => window.talk.conversation.say('Hello'));
  await media.kill();
  await api.kill();
  await page.waitForFunction(() => window.talk.connection === 'offline');
  await api.start();
  await media.start();
  await page.waitForFunction(() => window.talk.connection === 'live');
  await page.waitForFunction(() => window.talk.said()[0]?.state === 'complete');
  await page.evaluate(() => window.talk.conversation.close());
  for (const { userTokens, roomTokens, urls, written } of found) {
    expect([userTokens.size, roomTokens.size > 0]).toEqual([1, true]);
    const asked = urls.filter((url) => url.startsWith(api.url)).join('\n');
    expect(asked).toContain('/messages/latest');
    for (const token of roomTokens) expect(asked).not.toContain(token);
    // LiveKit's SDK has the room's token in the URL of its socket, and Chromium writes that URL when the socket fails.
    for (const token of userTokens) {
      expect(urls.join('\n')).not.toContain(token);
      expect(written.join('\n')).not.toContain(token);
    }
  }
  expect(found).toHaveLength(1);
});
