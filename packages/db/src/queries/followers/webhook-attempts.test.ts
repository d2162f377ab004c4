import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addWebhook } from '../../../testing/webhooks.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { claimFollowers, type FollowerClaim } from './follower-claims.ts';
import { markFollowers } from './follower-marks.ts';
import { type DeliveryAttempt, noteRefused, noteTaken } from './webhook-attempts.ts';
import { changeWebhook, deleteWebhook } from './webhook-changes.ts';
import { findWebhookTarget, rotateWebhookSecret } from './webhook-secrets.ts';

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

const taken = async (project: TestProject, { followerId }: FollowerClaim) => ({
  leaseMs: 60_000,
  updatedAt: (await findWebhookTarget(project, followerId))?.updatedAt ?? '',
});

const rows = async ({ sql }: TestProject) => ({
  deliveries: await sql`select attempts, status_code, failure from webhook_deliveries`,
  positions: await sql`
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
    positions: [{ hasMoved: false, attempts: 1, failure: 'HTTP 500', isDead: false }],
  });
  expect(await noteTaken(project, claim, attempt(), await taken(project, claim))).toBe(true);
  expect(await rows(project)).toEqual({
    deliveries: [{ attempts: 2, status_code: 204, failure: null }],
    positions: [{ hasMoved: true, attempts: 0, failure: null, isDead: false }],
  });
});

test('an attempt that ends after its message was erased, or its session deleted, leaves no answer', async ({
  project,
}) => {
  const { sql } = project;
  const claim = await claimOne(project);
  const answers = async () =>
    (await sql`select response from webhook_deliveries order by seen_at`).map(
      (row) => row['response'],
    );
  const [row] = await sql`select "timestamp" as at from messages`;
  const seenAt = String(row?.['at']);
  const answered = attempt({
    seenAt,
    statusCode: 500,
    failure: 'HTTP 500',
    response: 'you sent …',
  });
  await noteRefused(project, claim, answered, WAIT);
  expect(await answers()).toEqual(['you sent …']);
  const erased = attempt({
    ...answered,
    seenAt: '2030-01-01T00:00:00.000Z',
    type: 'message.erased',
  });
  await noteRefused(project, claim, erased, WAIT);
  await sql`update messages set erased_at = now(), content = '', completed_at = now()`;
  await noteRefused(project, claim, answered, WAIT);
  expect(await answers()).toEqual(['', 'you sent …']);
  await sql`update messages set erased_at = null`;
  await noteRefused(project, claim, answered, WAIT);
  expect(await answers()).toEqual(['you sent …', 'you sent …']);
  await sql`delete from session_heads`;
  await noteTaken(project, claim, answered, await taken(project, claim));
  expect(await answers()).toEqual(['', 'you sent …']);
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
  const times = await taken(project, claim);
  expect(await noteTaken(project, claim, attempt(), times)).toBeUndefined();
  const refused = attempt({ failure: 'HTTP 500' });
  expect(await noteRefused(project, claim, refused, WAIT)).toBeUndefined();
  expect(await rows(project)).toEqual({
    deliveries: [],
    positions: [{ hasMoved: false, attempts: 0, failure: null, isDead: false }],
  });
});

interface Change {
  readonly project: TestProject;
  readonly sessionId: string;
  /** The webhook, and who changes it. */
  readonly hook: { readonly id: string; readonly projectId: string; readonly by: string };
}

test.for<[string, (change: Change) => Promise<unknown>]>([
  ['is deleted', ({ project, hook }) => deleteWebhook(project, hook)],
  ['is disabled', ({ project, hook }) => changeWebhook(project, hook, { status: 'disabled' })],
  ['gets a URL', ({ project, hook }) => changeWebhook(project, hook, { url: 'https://b.example' })],
  ['gets no content', ({ project, hook }) => changeWebhook(project, hook, { content: 'none' })],
  [
    'gets a secret',
    async ({ project, hook }) => {
      const { nonce = Buffer.from('') } = (await findWebhookTarget(project, hook.id)) ?? {};
      const sealed = { keyId: 'key', nonce: Buffer.from('b'), ciphertext: Buffer.from('b') };
      await rotateWebhookSecret(project, hook, nonce, sealed, 1);
    },
  ],
  [
    'loses the session',
    ({ project, sessionId }) =>
      project.sql`delete from session_heads where session_id = ${sessionId}`,
  ],
])('a webhook that %s is no longer as it was read', async ([, change], { project }) => {
  const claim = await claimOne(project);
  const { followerId: id, sessionId } = claim;
  const times = await taken(project, claim);
  expect(await noteTaken(project, claim, attempt(), times)).toBe(true);
  const { projectId, userId: by } = project;
  await change({ project, sessionId, hook: { id, projectId, by } });
  expect(await noteTaken(project, claim, attempt(), times)).toBe(false);
});
