import type { Client } from '@session/client';
import { pause } from '@session/kit';
import { readHistory } from './chaos-client.ts';
import { checkHistory, type Evidence, type HistoryCheck } from './check-history.ts';

const POLL_MS = 250;
const CHECK_TIMEOUT_MS = 30_000;

export interface SessionWords extends Pick<Evidence, 'accepted' | 'received' | 'sent'> {
  readonly sessionId: string;
}

/** Repeats the comparison while it finds faults, for up to 30 s: the last messages and gaps take time. */
export async function checkUntilFaultless(
  words: SessionWords,
  client: Client,
  stop: AbortSignal,
): Promise<HistoryCheck> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(CHECK_TIMEOUT_MS)]);
  for (;;) {
    const check = await checkNow(words, client, stop);
    if (check.faults.length === 0 || !(await pause(POLL_MS, signal))) return check;
  }
}

async function checkNow(
  { sessionId, sent, received, accepted }: SessionWords,
  client: Client,
  stop: AbortSignal,
): Promise<HistoryCheck> {
  const history = await readHistory(client, sessionId, stop);
  const { recording } = await client.sessions.get(sessionId, { signal: stop });
  const gapMessages = history.flatMap(({ metadata }) =>
    metadata?.['kind'] === 'recording_gap' ? [gapOf(Object(metadata['payload'] ?? metadata))] : [],
  );
  return checkHistory({
    sent,
    received,
    accepted,
    stored: history
      .filter(({ role }) => role !== 'system')
      .map(({ id, content, status }) => ({ id, content, isPending: status === 'pending' })),
    gaps: recording.gaps.map(gapOf),
    gapMessages,
  });
}

function gapOf({ from, to }: { readonly from: string; readonly to: string }) {
  return { from: Date.parse(from), to: Date.parse(to) };
}
