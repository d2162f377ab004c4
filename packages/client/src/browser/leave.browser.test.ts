import type { Page } from '@session/testing/browser-test';
import { expect } from 'vitest';
import { servePage } from '../../testing/page-server.ts';
import { talkTest as test } from '../../testing/talks.ts';

/** Returns the resources of a page, except for those that the tests' tool adds. */
async function heldBy(page: Page): Promise<string[]> {
  const held = await page.evaluate(() => window.held());
  return held.filter((name) => !/^window (__playwright|contextmenu)/.test(name));
}

test('a closed conversation has left its room, and holds no timer, listener, track, socket or connection', async ({
  session,
}) => {
  const ben = await session.join('Ben');
  const ada = await session.join('Ada');
  const { page } = ada;
  await page.evaluate(() => window.talk.room.microphone.enable());
  await ben.page.evaluate(() => window.talk.room.microphone.enable());
  await page.waitForFunction(() => {
    const { room } = window.talk;
    return room
      .getSnapshot()
      .participants.some(({ identity, isLocal }) => !isLocal && room.level(identity) > 0.3);
  });
  expect(await heldBy(page)).not.toEqual([]);
  await page.evaluate(() => window.talk.conversation.close());
  await ben.page.waitForFunction(() => window.talk.room.getSnapshot().participants.length === 1);
  await expect.poll(async () => await heldBy(page)).toEqual([]);
});

test('when the session is closed by somebody else, the page closes its microphone', async ({
  world: { client },
  session,
}) => {
  const { page } = await session.join('Ada');
  await page.evaluate(() => window.talk.room.microphone.enable());
  expect(await heldBy(page)).toContain('track');
  await client.sessions.close(session.sessionId);
  await page.waitForFunction(() => window.talk.room.getSnapshot().microphone === 'off');
  expect(await heldBy(page)).not.toContain('track');
});

test('a token source of LiveKit’s own gives tokens for the room', async ({ session }) => {
  const { page } = await session.join('Ada');
  expect(await page.evaluate(() => window.talk.fetchToken())).toMatchObject({
    serverUrl: expect.stringContaining('ws://'),
    participantToken: expect.stringMatching(/^ey/),
  });
});

test('a page that the API does not allow learns what to check', async ({
  browser,
  world: { api },
}) => {
  await using stranger = await servePage();
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(stranger.origin);
  const message = await page.evaluate(async (baseUrl) => {
    const { client } = new window.TalkPage({ baseUrl, token: 'a-token', sessionId: '' });
    return await client.auth.me().then(String, String);
  }, api.url);
  await context.close();
  expect(message).toContain(`no answer from ${api.url}`);
  expect(message).toContain('is this page in its CORS_ORIGINS?');
});
