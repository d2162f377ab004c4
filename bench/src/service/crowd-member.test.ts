import { createClient } from '@session/client';
import { userToken } from '@session/media';
import { testMedia } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { checkHistory } from '../chaos/check-history.ts';
import { CrowdMember } from './crowd-member.ts';
import { CrowdTally } from './figures.ts';

test('what was said and is not stored is lost, and failed requests are counted by their codes', async () => {
  const media = testMedia();
  const sessionId = uuidv7();
  const { token } = await userToken(media, { room: sessionId, userId: 'ann', name: 'Ann' });
  const problem = { code: 'unavailable', title: 'Away', detail: '', requestId: 'r', status: 503 };
  const headers = { 'content-type': 'application/problem+json' };
  const client = createClient({
    baseUrl: 'http://127.0.0.1',
    maxRetries: 0,
    fetch: async (input) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      if (pathname.endsWith('/token')) return Response.json({ participantToken: token });
      return Response.json(problem, { status: 503, headers });
    },
  });
  const tally = new CrowdTally();
  const member = new CrowdMember({
    client,
    mediaUrl: media.url,
    sessionId,
    hasAgent: false,
    tally,
  });
  await expect.poll(() => member.isInRoom).toBe(true);
  member.begin(20, 0);
  await expect.poll(() => member.words().received.length).toBeGreaterThan(2);
  await member[Symbol.asyncDispose]();
  const { said, failures, unsaid } = tally.report();
  const { sent, received, accepted } = member.words();
  expect([said, member.unread]).toEqual([received.length, received.length]);
  expect([failures, unsaid]).toEqual([{ unavailable: expect.any(Number) }, {}]);
  const faultsWith = (stored: typeof received) =>
    checkHistory({
      sent,
      received,
      accepted,
      stored: stored.map(({ id, content }) => ({ id: id ?? '', content })),
      gaps: [],
      gapMessages: [],
    }).faults;
  expect(faultsWith(received)).toEqual([]);
  expect(faultsWith(received.slice(1))).toEqual([expect.stringContaining('lost: ')]);
  expect(faultsWith(received.toReversed())).not.toEqual([]);
});
