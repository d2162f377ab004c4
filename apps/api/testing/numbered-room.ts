import { decodeNumbered } from '@session/contract/room';
import * as db from '@session/db';
import {
  agentToken,
  type JoinedRoom,
  joinRoom,
  openRoomService,
  packetPublicKey,
  packetVerifier,
  SentMessages,
} from '@session/media';
import { recordRoom } from '@session/media/testing';
import { testMedia } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { type SequenceTiming, SequenceWork } from '../src/background/sequences/sequence-work.ts';
import { ShutdownBudget } from '../src/background/shutdown-budget.ts';
import { createMetrics } from '../src/http/metrics/metrics.ts';
import { spyLog } from './spy-log.ts';

const TIMING: SequenceTiming = {
  everyMs: 20,
  gapMs: 1,
  leaseMs: 60_000,
  firstMs: 200,
  againMs: 200,
  lastMs: 200,
};

/** Asks for missing messages, as an API process does. */
export function startSequenceWork(
  database: db.DatabaseAccess,
  timing: Partial<SequenceTiming> = {},
): SequenceWork {
  return new SequenceWork({
    database,
    rooms: openRoomService(testMedia()),
    storedNotifier: { notify: () => {} },
    metrics: createMetrics(),
    log: spyLog(),
    shutdown: new ShutdownBudget(4000),
    now: Date.now,
    timing: { ...TIMING, ...timing },
  });
}

/** Stores the messages of the room until disposal, as a recorder does. */
export async function recordNumbered(
  database: db.DatabaseAccess,
  sessionId: string,
): Promise<AsyncDisposable> {
  const storing: Promise<unknown>[] = [];
  const recorder = await recordRoom(testMedia(), sessionId, (event) => {
    const decoded = decodeNumbered(event, { sessionId, newId: uuidv7 });
    if (decoded.outcome !== 'store') return;
    const stored = db.appendMessages(database, [decoded.message]);
    storing.push(stored.then(() => db.markFollowers(database, [sessionId])));
  });
  return {
    async [Symbol.asyncDispose]() {
      await recorder[Symbol.asyncDispose]();
      await Promise.all(storing);
    },
  };
}

/** Joins as an agent, which numbers what it says. */
export async function joinNumbered(sessionId: string): Promise<JoinedRoom> {
  const media = testMedia();
  const isSigned = packetVerifier(packetPublicKey(media));
  const sent = new SentMessages((packet) => isSigned(sessionId, packet));
  const agentId = uuidv7();
  const { token } = await agentToken(media, { room: sessionId, role: 'echo-agent', agentId });
  return await joinRoom({ url: media.url, token, sent });
}

/** The numbered messages of the history, as number and content. */
export async function numberedHistory(
  { sql }: db.DatabaseAccess,
  sessionId: string,
): Promise<string[]> {
  const rows = await sql<{ n: number; content: string }[]>`
    select (metadata #>> '{seq,n}')::int as n, content from messages
    where session_id = ${sessionId} and metadata ? 'seq' order by n`;
  return rows.map(({ n, content }) => `${n} ${content}`);
}
