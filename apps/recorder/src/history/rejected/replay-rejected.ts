import type * as db from '@session/db';
import { type Bound, isDatabaseAway } from '@session/db';
import { StartError } from '@session/kit';
import type { StorableMessage } from '../../message-path.ts';
import { isLost, parseQueued } from '../queued-message.ts';
import { RejectedFile, rejectedOf } from './rejected-file.ts';

export interface ReplayCounts {
  stored: number;
  refused: number;
  deleted: number;
  unreadable: number;
  left: number;
}

type Outcome = keyof ReplayCounts;

interface Replayed {
  readonly line: string;
  readonly message: StorableMessage | undefined;
  readonly outcome: Outcome;
}

interface ReplayDeps {
  readonly folder: string;
  readonly queries: Bound<Pick<typeof db, 'appendMessages' | 'closeRefusedGap'>>;
  readonly findStored: (messages: readonly StorableMessage[]) => Promise<ReadonlySet<string>>;
}

type IsStored = (message: StorableMessage) => Promise<boolean>;

/**
 * Stores the messages of `rejected.jsonl` again, after everything that is stored in their sessions, and removes their lines
 * and gaps. May run while a recorder runs, and repeatedly. Throws a StartError when another replay uses the folder, or the
 * folder is missing.
 */
export async function replayRejected(deps: ReplayDeps): Promise<ReplayCounts> {
  const { folder, queries } = deps;
  const file = new RejectedFile(folder);
  await using lock = await file.lockReplay().catch((cause: unknown) => {
    throw new StartError(
      `RECORDER_SPOOL_DIR: ${folder} cannot be used (${String(cause)}). Set it to the spool folder of a recorder.`,
      { cause },
    );
  });
  if (!lock) {
    throw new StartError(
      `Another process is replaying the rejected messages of ${folder}: wait until it has ended.`,
    );
  }
  const lines = await file.read();
  const isStored = storedByOthers(lines, deps);
  const replayed: Replayed[] = [];
  for (const line of lines) {
    const isAway = replayed.at(-1)?.outcome === 'left';
    const message = messageOf(line);
    const outcome = isAway ? 'left' : await replayMessage(message, queries, isStored);
    replayed.push({ line, message, outcome });
  }
  const counts: ReplayCounts = { stored: 0, refused: 0, deleted: 0, unreadable: 0, left: 0 };
  const kept: string[] = [];
  for (const one of await closeGaps(replayed, queries)) {
    counts[one.outcome] += 1;
    if (isKept(one)) kept.push(one.line);
  }
  if (kept.length < lines.length) await file.replace(lines.length, kept);
  return counts;
}

function isKept({ outcome }: Replayed): boolean {
  return outcome !== 'stored' && outcome !== 'deleted';
}

function messageOf(line: string): StorableMessage | undefined {
  const queued = parseQueued(rejectedOf(line));
  return queued && !isLost(queued) ? queued : undefined;
}

/**
 * Returns a function that finds out whether another recorder has stored a message. It looks up all messages of a session
 * before the first of them is stored again. Otherwise a repeated text could match the message that this replay has just
 * stored.
 */
function storedByOthers(lines: readonly string[], { findStored }: ReplayDeps): IsStored {
  const led = lines.flatMap((line) => messageOf(line) ?? []).filter(isLed);
  const bySession = Map.groupBy(led, ({ sessionId }) => sessionId);
  const found = new Map<string, ReadonlySet<string>>();
  return async (message) => {
    if (!isLed(message)) return false;
    const { id, sessionId } = message;
    const stored = found.get(sessionId) ?? (await findStored(bySession.get(sessionId) ?? []));
    found.set(sessionId, stored);
    return stored.has(id);
  };
}

/** Returns whether only the leader stores the message. The next leader may have stored it already, under another id. */
function isLed({ intervalId }: StorableMessage): boolean {
  return intervalId !== undefined;
}

async function replayMessage(
  refused: StorableMessage | undefined,
  queries: ReplayDeps['queries'],
  isStored: IsStored,
): Promise<Outcome> {
  if (!refused) return 'unreadable';
  // With its interval, the message would be left to the leader that followed.
  const { intervalId: _interval, ...message } = refused;
  try {
    if (await isStored(refused)) return 'stored';
    const options = { waitForLocks: true, now: Infinity };
    const { sessions, ignored } = await queries.appendMessages([message], options);
    if (sessions === 0) return 'deleted';
    return ignored.length > 0 ? 'refused' : 'stored';
  } catch (error) {
    return failureOf(error);
  }
}

/**
 * Closes the gaps of stored messages. Messages that were received in the same millisecond have one gap, which stays as long
 * as the line of one of them. A message whose gap cannot be closed now counts as not stored: its line stays.
 */
async function closeGaps(
  replayed: readonly Replayed[],
  queries: ReplayDeps['queries'],
): Promise<Replayed[]> {
  const open = new Set(replayed.filter(isKept).map(gapKeyOf));
  const closed: Replayed[] = [];
  let isAway = false;
  for (const one of replayed) {
    const { message } = one;
    let { outcome } = one;
    if (message && outcome === 'stored' && !open.has(gapKeyOf(one))) {
      outcome = isAway ? 'left' : await closeGap(message, queries);
      isAway = outcome === 'left';
    }
    closed.push({ ...one, outcome });
  }
  return closed;
}

function gapKeyOf({ message }: Replayed): string | undefined {
  return message && `${message.sessionId} ${Math.floor(message.receivedAt)}`;
}

async function closeGap(
  { sessionId, receivedAt }: StorableMessage,
  queries: ReplayDeps['queries'],
): Promise<Outcome> {
  try {
    const from = new Date(receivedAt).toISOString();
    const to = new Date(receivedAt + 1).toISOString();
    await queries.closeRefusedGap({ sessionId, from, to });
    return 'stored';
  } catch (error) {
    return failureOf(error);
  }
}

function failureOf(error: unknown): Outcome {
  return isDatabaseAway(error) ? 'left' : 'refused';
}
