import { NIL, v7 as uuidv7 } from 'uuid';
import type { Database } from '../src/connection/client.ts';
import * as db from '../src/index.ts';
import { manyRowsId as id } from './many-rows.ts';
import { newWebhook } from './webhooks.ts';

const START = { sessionId: NIL, createdAt: '1970-01-01T00:00:00.000Z' };

/** The statements of webhooks, on many rows: for the test of the use of indexes. */
export function webhookSteps(database: Database) {
  return {
    markFollowers: (n: number) => db.markFollowers(database, [id('session', n)]),
    markFollowersFrom: (n: number) => db.markFollowersFrom(database, id('session', n), 2, 60_000),
    markFollowerFrom: (n: number) => db.markFollowerFrom(database, id('webhook', n), START, 2),
    claimFollowers: async (n: number) => {
      const follower = id('webhook', n);
      await database.sql`
        update follower_positions set wanted = now(), dead_at = null where follower_id = ${follower}`;
      const most = new Map([[follower, 1]]);
      await db.claimFollowers(database, most, 0, 'newest');
      const [claim] = await db.claimFollowers(database, most, 60_000);
      if (!claim) throw new Error('nothing is due');
      const { sessionId, position } = claim;
      await db.followSession(database, { sessionId, position, limit: 20 });
      const attempt = { id: uuidv7(), type: 'message.stored', durationMs: 12, response: '' };
      const seenAt = new Date().toISOString();
      const taken = { ...attempt, seenAt, statusCode: 204, failure: null };
      await db.noteTaken(database, claim, taken, { leaseMs: 60_000, updatedAt: seenAt });
      await db.advanceFollower(database, claim, seenAt, 60_000);
      const refused = { ...taken, failure: 'HTTP 500' };
      await db.noteRefused(database, claim, refused, { waitMs: 5000, horizonMs: 60_000 });
      await db.forgetSessionOfFollower(database, claim, null);
    },
    noteFollowerFailure: (n: number) => {
      const times = { firstMs: 1000, longestMs: 2000, horizonMs: 60_000 };
      return db.noteFollowerFailure(database, id('webhook', n + 1), times);
    },
    noteFollowerSuccess: (n: number) => db.noteFollowerSuccess(database, id('webhook', n + 1)),
    replayWebhook: (n: number) => {
      const range = { sessionId: null, since: '2026-01-01T00:00:00.000Z' };
      return db.replayWebhook(database, changed(n + 1), range);
    },
    disableFailingWebhook: async (n: number) => {
      const target = await db.findWebhookTarget(database, id('webhook', n));
      if (target) await db.disableFailingWebhook(database, target, 'HTTP 410');
    },
    listWebhookAccounts: (n: number) => db.listWebhookAccounts(database, [id('webhook', n)]),
    listWebhookTargets: (n: number) => db.listWebhookTargets(database, [id('webhook', n)]),
    findWebhookTarget: (n: number) => db.findWebhookTarget(database, id('webhook', n)),
    listWebhooks: (n: number) => {
      return db.listWebhooks(database, { projectId: id('project', n), userId: id('user', n + 1) });
    },
    findWebhook: (n: number) => {
      return db.findWebhook(database, { id: id('webhook', n), userId: id('user', n + 1) });
    },
    listDeliveries: (n: number) => db.listDeliveries(database, { ...page(n), limit: 51 }),
    listFailedDeliveries: (n: number) => {
      return db.listDeliveries(database, { ...page(n), limit: 51, state: 'failed' });
    },
    listSessionDeliveries: (n: number) => {
      return db.listDeliveries(database, { ...page(n), limit: 51, sessionId: id('session', n) });
    },
    findDelivery: (n: number) => db.findDelivery(database, id('webhook', n), uuidv7()),
    noteRedelivered: (n: number) => {
      const place = { webhookId: id('webhook', n), sessionId: id('session', n) };
      const answer = { statusCode: 204, durationMs: 12, failure: null, response: '' };
      return db.noteRedelivered(database, { ...place, seenAt: new Date().toISOString() }, answer);
    },
    insertWebhook: async (n: number) => {
      const webhook = newWebhook({ projectId: id('project', n), createdBy: id('user', n) });
      await db.insertWebhook(database, webhook, 20);
    },
    changeWebhook: (n: number) => {
      return db.changeWebhook(database, changed(n), { description: 'x', status: 'active' });
    },
    rotateWebhookSecret: (n: number) => {
      const sealed = { keyId: 'key', nonce: Buffer.from('x'), ciphertext: Buffer.from('x') };
      return db.rotateWebhookSecret(database, changed(n), Buffer.from(''), sealed, 24);
    },
    listWebhooksOfKeys: () => db.listWebhooksOfKeys(database, ['key1']),
    deleteWebhook: (n: number) => db.deleteWebhook(database, changed(n)),
    deleteOldDeliveries: () => db.deleteOldDeliveries(database, 10),
  };
}

function page(n: number) {
  return { webhookId: id('webhook', n), userId: id('user', n + 1) };
}

function changed(n: number) {
  return { id: id('webhook', n), projectId: id('project', n), by: id('user', n) };
}
