import type * as db from '@session/db';
import { type Bound, isDatabaseAway } from '@session/db';
import { StartError } from '@session/kit';
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

interface ReplayDeps {
  readonly folder: string;
  readonly queries: Bound<Pick<typeof db, 'appendMessages' | 'closeRefusedGap'>>;
}

/**
 * Stores the messages of `rejected.jsonl` again, after everything that is stored in their sessions, and removes their lines
 * and gaps. May run while a recorder runs, and repeatedly. Throws a StartError when another replay uses the folder, or the
 * folder is missing.
 */
export async function replayRejected({ folder, queries }: ReplayDeps): Promise<ReplayCounts> {
  const file = new RejectedFile(folder);
  await using lock = await file.lockReplay().catch((cause: unknown) => {
    throw new StartError(`RECORDER_SPOOL_DIR: ${folder} cannot be used (${String(cause)}).`, {
      cause,
    });
  });
  if (!lock) throw new StartError(`Another process replays the rejected messages of ${folder}.`);
  const lines = await file.read();
  const counts: ReplayCounts = { stored: 0, refused: 0, deleted: 0, unreadable: 0, left: 0 };
  const kept: string[] = [];
  for (const line of lines) {
    const outcome = counts.left > 0 ? 'left' : await replayLine(line, queries);
    counts[outcome] += 1;
    if (outcome !== 'stored' && outcome !== 'deleted') kept.push(line);
  }
  if (kept.length < lines.length) await file.replace(lines.length, kept);
  return counts;
}

async function replayLine(line: string, queries: ReplayDeps['queries']): Promise<Outcome> {
  const queued = parseQueued(rejectedOf(line));
  if (!queued || isLost(queued)) return 'unreadable';
  try {
    const { sessions, ignored } = await queries.appendMessages([queued], { waitForLocks: true });
    if (sessions === 0) return 'deleted';
    if (ignored.length > 0) return 'refused';
    const { sessionId, receivedAt } = queued;
    const from = new Date(receivedAt).toISOString();
    const to = new Date(receivedAt + 1).toISOString();
    await queries.closeRefusedGap({ sessionId, from, to });
    return 'stored';
  } catch (error) {
    return isDatabaseAway(error) ? 'left' : 'refused';
  }
}
