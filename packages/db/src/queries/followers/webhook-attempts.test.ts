import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addWebhook } from '../../../testing/webhooks.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { claimFollowers, type FollowerClaim } from './follower-claims.ts';
import { markFollowers } from './follower-marks.ts';
import { type DeliveryAttempt, noteRefused, noteTaken } from './webhook-attempts.ts';

const WAIT = { waitMs: 5000, horizonMs: 3_600_000 };

async function claimOne(project: TestProject): Promise<FollowerClaim> {
  const id = await addWebhook(project);
  const sessionId = await project.newSession();
  await appendMessages(project, [typedText(sessionId)]);
  await markFollowers(project, [sessionId]);
  const [claim] = await claimFollowers(project, new Map([[id, 1]]), 60_000);
  if (!claim) throw new Error('nothing is due');
  return claim;
}

function attempt(part: Partial<DeliveryAttempt> = {}): DeliveryAttempt {
  return {
    seenAt: '2030-01-01T00:00:00.000Z',
    id: uuidv7(),
    type: 'message.stored',
    statusCode: 204,
    durationMs: 12,
    failure: null,
    response: '',
    ...part,
  };
}

const rows = async ({ sql }: TestProject) => ({
  deliveries: await sql`select attempts, status_code, failure from webhook_deliveries`,
  places: await sql`
    select position = '2030-01-01T00:00:00Z' as "hasMoved", attempts, failure, dead_at is not null as "isDead"
    from follower_positions`,
});

test('what was refused and then taken is one delivery, and the position moves with it', async ({
  project,
}) => {
  const claim = await claimOne(project);
  const refused = attempt({ statusCode: 500, failure: 'HTTP 500', response: 'broken' });
  expect(await noteRefused(project, claim, refused, WAIT)).toBe(false);
  expect(await rows(project)).toEqual({
    deliveries: [{ attempts: 1, status_code: 500, failure: 'HTTP 500' }],
    places: [{ hasMoved: false, attempts: 1, failure: 'HTTP 500', isDead: false }],
  });
  expect(await noteTaken(project, claim, attempt(), 60_000)).toBe(true);
  expect(await rows(project)).toEqual({
    deliveries: [{ attempts: 2, status_code: 204, failure: null }],
    places: [{ hasMoved: true, attempts: 0, failure: null, isDead: false }],
  });
});

test('what fails for the whole horizon is given up', async ({ project }) => {
  const claim = await claimOne(project);
  const refused = attempt({ statusCode: null, failure: 'the connection was refused' });
  await noteRefused(project, claim, refused, WAIT);
  await project.sql`update follower_positions set failing_since = now() - interval '61 min'`;
  expect(await noteRefused(project, claim, refused, WAIT)).toBe(true);
});

test('a process that has lost the claim notes nothing', async ({ project }) => {
  const claim = await claimOne(project);
  await project.sql`update follower_positions set claim = claim + 1`;
  expect(await noteTaken(project, claim, attempt(), 60_000)).toBe(false);
  const refused = attempt({ failure: 'HTTP 500' });
  expect(await noteRefused(project, claim, refused, WAIT)).toBeUndefined();
  expect(await rows(project)).toEqual({
    deliveries: [],
    places: [{ hasMoved: false, attempts: 0, failure: null, isDead: false }],
  });
});
