import type { RoomMessage } from '@session/contract/room';
import type { MessageWithoutRawId } from '@session/db';
import type { StorableMessage } from '../message-path.ts';
import { CLOCK_SKEW_MS, TIMING } from '../timing.ts';

/** How far apart two recorders may receive the same message: by their clocks, and because one of them is busy. */
const RECEIVE_SKEW_MS = 5000;

/**
 * How long a standby keeps a message after the leader's flush: the leader may notice a dead connection this late, and its row
 * may be one skew older.
 */
export const KEPT_MS = TIMING.silenceMs + RECEIVE_SKEW_MS;

/**
 * Returns the messages among `kept` that are not among `stored`. Each row stands for the nearest message only, because people
 * repeat words. A row more than `maxLaterMs` later than a message is another message. `rowsAfter` returns, for the receipt of
 * a message, the time up to which every row is another message.
 */
export function findMissing(
  kept: readonly RoomMessage[],
  stored: readonly MessageWithoutRawId[],
  maxLaterMs = Infinity,
  rowsAfter: (receivedAt: number) => number = () => -Infinity,
): RoomMessage[] {
  const erased = stored.filter(({ isErased }) => isErased);
  const unmatched = Map.groupBy(
    stored.filter(({ isErased }) => !isErased),
    wordsOf,
  );
  const match = (message: RoomMessage, maxAgeMs: number) => {
    const rows = unmatched.get(wordsOf(message)) ?? [];
    const distances = rows.map((row) =>
      distanceMs(row, message, { maxAgeMs, maxLaterMs, rowsAfter }),
    );
    const nearest = Math.min(...distances);
    if (nearest === Number.POSITIVE_INFINITY) return false;
    rows.splice(distances.indexOf(nearest), 1);
    return true;
  };
  const lastStored = new Map<string | null, number>();
  const missing = [...kept.entries()].filter(([index, message]) => {
    const isStored = match(message, RECEIVE_SKEW_MS);
    if (isStored) lastStored.set(senderOf(message), index);
    return !isStored;
  });
  // A recorder that just joined receives its first packets late. If a later message of the same sender is stored, the
  // recorder that stored it received this one too. So a stored row up to `KEPT_MS` older counts as the same message.
  const left = missing.flatMap(([index, message]) => {
    const isBeforeStored = index < (lastStored.get(senderOf(message)) ?? 0);
    return isBeforeStored && match(message, KEPT_MS) ? [] : message;
  });
  return left.filter((message) => !isAmong(erased, message));
}

interface StoredQueries {
  listMessagesWithoutRawId(
    sessionId: string,
    after: string,
  ): Promise<readonly MessageWithoutRawId[]>;
  isIntervalEnded(interval: { sessionId: string; id: string; at: string }): Promise<boolean>;
}

/**
 * Returns the ids of those messages of one session that are stored, although a leader could not store them. The recorder that
 * led next had kept copies of the messages, under other ids, unless the former leader went on for longer than copies are kept.
 */
export async function findStored(
  refused: readonly StorableMessage[],
  queries: StoredQueries,
): Promise<ReadonlySet<string>> {
  const messages: StorableMessage[] = [];
  // A message may have been refused twice.
  for (const message of new Map(refused.map((one) => [one.id, one])).values()) {
    const { sessionId, intervalId: id, receivedAt } = message;
    const at = new Date(receivedAt + KEPT_MS).toISOString();
    const isLeft = id !== undefined && (await queries.isIntervalEnded({ sessionId, id, at }));
    if (isLeft) messages.push(message);
  }
  const [first] = messages;
  if (!first) return new Set();
  const oldest = messages.reduce((at, { receivedAt }) => Math.min(at, receivedAt), Infinity);
  const after = new Date(oldest - KEPT_MS).toISOString();
  const rows = await queries.listMessagesWithoutRawId(first.sessionId, after);
  const missing = new Set(findMissing(messages, rows, KEPT_MS));
  return new Set(messages.flatMap((message) => (missing.has(message) ? [] : message.id)));
}

/**
 * Returns whether an erased row matches the message. Of an erased message only the kind and the time are left. Removes
 * the matching row from `erased`, because a row stands for one message.
 */
function isAmong(erased: MessageWithoutRawId[], { kind, receivedAt }: RoomMessage): boolean {
  const distances = erased.map((row) =>
    row.kind === kind ? Math.abs(Date.parse(row.timestamp) - receivedAt) : Infinity,
  );
  const nearest = Math.min(...distances);
  if (nearest > CLOCK_SKEW_MS) return false;
  erased.splice(distances.indexOf(nearest), 1);
  return true;
}

function wordsOf({ kind, content }: { readonly content: string; readonly kind: string }) {
  // Each recorder counts the messages of a flood separately, so the words of their reports differ.
  return kind === 'recording_gap' ? kind : `${kind} ${content}`;
}

function senderOf({ metadata }: RoomMessage): string | null {
  return metadata.participant?.identity ?? null;
}

interface RowTimes {
  readonly maxAgeMs: number;
  readonly maxLaterMs: number;
  readonly rowsAfter: (receivedAt: number) => number;
}

/** Returns Infinity when row and message cannot be the same, for example when the row is too old. */
function distanceMs(
  row: MessageWithoutRawId,
  message: RoomMessage,
  { maxAgeMs, maxLaterMs, rowsAfter }: RowTimes,
): number {
  const { timestamp, identity } = row;
  const sender = senderOf(message);
  // One of the two recorders may not have found the sender.
  const isSameSender = identity === sender || identity === null || sender === null;
  const rowAt = Date.parse(timestamp);
  const laterMs = rowAt - message.receivedAt;
  const isNear = laterMs >= -maxAgeMs && laterMs <= maxLaterMs;
  const mayBeSame = isSameSender && isNear && rowAt > rowsAfter(message.receivedAt);
  const isSame = mayBeSame && coversSpanOf(row, message);
  return isSame ? Math.abs(laterMs) : Number.POSITIVE_INFINITY;
}

/**
 * Returns false for the report of a gap whose span the row does not cover. A long flood has several reports, and two
 * recorders begin theirs at different times.
 */
function coversSpanOf(row: MessageWithoutRawId, { kind, metadata }: RoomMessage): boolean {
  if (kind !== 'recording_gap') return true;
  const [from, to] = [Date.parse(metadata.from ?? ''), Date.parse(metadata.to ?? '')];
  const isBegunBefore = Date.parse(row.from ?? '') <= from + CLOCK_SKEW_MS;
  return isBegunBefore && Date.parse(row.to ?? '') >= to - CLOCK_SKEW_MS;
}
