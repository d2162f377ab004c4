import type { NewMessageRow } from '../../schema/messages.ts';
import { allRows } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { withoutErased } from '../erasures/late-messages.ts';
import { hearErased, hearNumbers, isResent } from '../followers/heard-numbers.ts';
import { appendBatch, type BatchCounts, type Holder } from './append-batch.ts';
import {
  conflictIdsOf,
  isSameSender,
  keyOf,
  originOf,
  sqlSenderOf,
  withDistinctIds,
} from './same-id.ts';

/**
 * - `waitForLocks`: true: waits, up to the lock timeout. False: stores nothing of a locked session, and lists it in
 *   `lockedSessions`.
 * - `now`: milliseconds since 1970, by the clock that set `receivedAt`; by default the machine's time. What was received a
 *   second earlier has waited, and may have been erased meanwhile. `Infinity`: all messages have waited.
 */
export interface AppendOptions {
  readonly waitForLocks: boolean;
  readonly now?: number;
}

/**
 * What became of a batch. A message that none of these figures counts is in the history already.
 * - `stored`: including completions and growths of pending messages.
 * - `sessions`: how many sessions exist and were not locked. Messages of missing sessions are dropped.
 * - `lockedSessions`: send their messages again.
 * - `conflicts`: messages stored under another id, because another sender's message has theirs.
 * - `ignored`: kept out by another message of their sender under the same id. They are in no history.
 * - `intruded`: dropped, because somebody sent them with the token of a Stopped agent.
 * - `gaps`: the reports of gaps that were stored now, each once, whichever recorders report the gap.
 */
export interface AppendedMessages {
  readonly stored: number;
  readonly sessions: number;
  readonly lockedSessions: readonly string[];
  readonly conflicts: number;
  readonly ignored: readonly NewMessageRow[];
  readonly intruded: number;
  readonly gaps: readonly NewMessageRow[];
}

/** The second round stores what the first one refused. Its ids are derived, so the third one has work only in an attack. */
const ROUNDS = 3;

export const LIST_HOLDERS = statement(
  'list_holders',
  (sessionIds: readonly string[], ids: readonly string[]) => [sessionIds, ids],
  allRows<Holder & { readonly isErased: boolean }>,
)`
select
  message.session_id as "sessionId",
  message.id,
  ${sqlSenderOf('message')} as sender,
  message.kind,
  message.content,
  message.erased_at is not null as "isErased"
from unnest($1::uuid[], $2::uuid[]) as wanted (session_id, id)
join messages message on message.session_id = wanted.session_id and message.id = wanted.id`;

/**
 * Stores messages of any sessions, given in the order of their arrival. Of one sender's messages with the same id, the first
 * complete one stays; a pending one grows and is completed only by its sender. Another sender's message with that id is
 * stored under another id in a second transaction: after an error, send the batch again. Erased messages are not stored
 * again.
 */
export async function appendMessages(
  database: DatabaseAccess,
  batch: readonly NewMessageRow[],
  { waitForLocks, now = Date.now() }: AppendOptions = { waitForLocks: true },
): Promise<AppendedMessages> {
  const wanted = await withoutErased(database, batch, now);
  const { sessions, ...first } = await appendRound(database, wanted, waitForLocks);
  const ignored = [...first.ignored];
  const locked = new Set(first.locked);
  let conflicts = 0;
  let { again } = first;
  for (let round = 2; round <= ROUNDS && again.length > 0; round += 1) {
    const next = await appendRound(database, again, waitForLocks);
    conflicts += next.stored;
    ignored.push(...next.ignored);
    for (const sessionId of next.locked) locked.add(sessionId);
    again = next.again;
  }
  ignored.push(...again);
  const settled = batch.filter((message) => isResent(message) && !locked.has(message.sessionId));
  await hearNumbers(database, [...settled, ...ignored]);
  if (wanted.length < batch.length) {
    const kept = new Set(wanted);
    await hearErased(
      database,
      batch.filter((message) => !kept.has(message)),
    );
  }
  const stored = first.stored + conflicts;
  const { gaps, intruded } = first;
  return { stored, sessions, lockedSessions: [...locked], conflicts, ignored, intruded, gaps };
}

interface Round extends Pick<BatchCounts, 'sessions' | 'stored' | 'locked' | 'intruded'> {
  readonly ignored: readonly NewMessageRow[];
  readonly gaps: readonly NewMessageRow[];
  readonly again: readonly NewMessageRow[];
}

async function appendRound(
  database: DatabaseAccess,
  batch: readonly NewMessageRow[],
  waitForLocks: boolean,
): Promise<Round> {
  const { distinct, others, ignored } = withDistinctIds(batch);
  const { refused, gapIds, ...found } = await appendBatch(database, distinct, waitForLocks);
  const gaps = gapIds.flatMap((id) => distinct.find((message) => message.id === id) ?? []);
  const counts = { ...found, gaps };
  if (!refused && others.length === 0) return { ...counts, ignored, again: [] };
  const owners = new Map([
    ...distinct.map((message) => [keyOf(message), originOf(message)] as const),
    ...(refused ?? []).map((holder) => [keyOf(holder), holder] as const),
  ]);
  const isOwner = (message: NewMessageRow) => {
    const owner = owners.get(keyOf(message));
    return owner !== undefined && isSameSender(owner, originOf(message));
  };
  const refusedKeys = new Set(refused?.map(keyOf));
  const unstored = distinct.filter((message) => refusedKeys.has(keyOf(message)));
  const waiting = others.filter(
    ({ sessionId }) => !counts.locked.includes(sessionId.toLowerCase()),
  );
  const renamed = await rename(
    database,
    [...unstored, ...waiting].filter((message) => !isOwner(message)),
  );
  const again = [...waiting.filter(isOwner), ...renamed];
  return { ...counts, ignored: [...ignored, ...unstored.filter(isOwner)], again };
}

/**
 * Returns the messages under ids of their own. Of its two possible ids, a message keeps the one under which it is stored,
 * or was until it was erased. Leaves out a message whose id was erased, because that message's sender is no longer known.
 */
async function rename(
  database: DatabaseAccess,
  messages: readonly NewMessageRow[],
): Promise<NewMessageRow[]> {
  const named = messages.map((message) => ({ message, ids: conflictIdsOf(message) }));
  const pairs = named.flatMap(({ message, ids }) =>
    [message.id, ...ids].map((id) => ({ ...message, id })),
  );
  const sessionIds = pairs.map(({ sessionId }) => sessionId);
  const rows = await LIST_HOLDERS(
    database,
    sessionIds,
    pairs.map(({ id }) => id),
  );
  const holders = new Map(rows.map((holder) => [keyOf(holder), holder]));
  return named.flatMap(({ message, ids: [first, ...rest] }) => {
    const { sessionId, metadata } = message;
    if (holders.get(keyOf(message))?.isErased) return [];
    const origin = originOf(message);
    const stored = [first, ...rest].find((id) => {
      const holder = holders.get(keyOf({ sessionId, id }));
      return holder !== undefined && (holder.isErased || isSameSender(holder, origin));
    });
    const marked = { rawId: message.id, ...metadata, idConflict: true };
    return { ...message, id: stored ?? first, metadata: marked };
  });
}
