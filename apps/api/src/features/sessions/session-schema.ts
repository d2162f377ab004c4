import { Id, type ListedSession, type Recording, type Session } from '@session/contract';
import type { CoverageSpan, MissingCount, SessionRow } from '@session/db';
import * as db from '@session/db';
import * as z from 'zod';

export const sessionParams = z.object({ id: Id });

export async function describeSession(
  database: db.DatabaseAccess,
  row: SessionRow,
): Promise<Session> {
  const ids = [row.id];
  const [spans, missing] = await Promise.all([
    db.listCoverage(database, ids),
    db.countMissingMessages(database, ids),
  ]);
  return sessionOf(row, spans, missing);
}

const LISTED_CHARACTERS = 200;

export async function describeListedSessions(
  database: db.DatabaseAccess,
  rows: readonly SessionRow[],
): Promise<ListedSession[]> {
  const ids = rows.map(({ id }) => id);
  const [spans, missing, words, live] = await Promise.all([
    db.listCoverage(database, ids),
    db.countMissingMessages(database, ids),
    db.listLastWords(database, ids, LISTED_CHARACTERS),
    db.listLiveAgentsOf(database, ids),
  ]);
  const spansOf = Map.groupBy(spans, ({ sessionId }) => sessionId);
  const missingOf = Map.groupBy(missing, ({ sessionId }) => sessionId);
  const wordsOf = new Map(words.map(({ sessionId, ...message }) => [sessionId, message]));
  const agentsOf = Map.groupBy(live, ({ sessionId }) => sessionId);
  return rows.map((row) => ({
    ...sessionOf(row, spansOf.get(row.id) ?? [], missingOf.get(row.id) ?? []),
    lastMessage: wordsOf.get(row.id) ?? null,
    agents: (agentsOf.get(row.id) ?? []).map(({ id, role, status }) => ({ id, role, status })),
  }));
}

function sessionOf(
  row: SessionRow,
  spans: readonly CoverageSpan[],
  missingCounts: readonly MissingCount[],
): Session {
  const { messageCount, lastMessageAt, recordingStatus: _status, connectedAt, ...session } = row;
  const { coverage, gaps } = coverageOf(spans);
  const status = statusOf(row);
  const missing = missingCounts.map(({ identity, count }) => ({ identity, count }));
  const counts = { messageCount, lastMessageAt, missing };
  const recording = { status, since: connectedAt, ...counts, coverage, gaps };
  return { ...session, recording };
}

/** A recorder stays in the room of a closed session until the room is quiet. After that, no recorder joins again. */
function statusOf({ status, recordingStatus }: SessionRow): Recording['status'] {
  const isConnected = recordingStatus === 'recording' || recordingStatus === 'reconnecting';
  return status === 'CLOSED' && !isConnected ? 'ended' : (recordingStatus ?? 'waiting');
}

function coverageOf(spans: readonly CoverageSpan[]): Pick<Recording, 'coverage' | 'gaps'> {
  const coverage: Recording['coverage'] = [];
  const gaps: Recording['gaps'] = [];
  for (const { what, from, to, reason } of spans) {
    if (what === 'coverage') coverage.push({ from, to });
    else gaps.push({ from, to, reason: reason ?? 'not_started' });
  }
  return { coverage, gaps };
}
