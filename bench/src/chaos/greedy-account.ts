import { type Client, isApiError, type Message } from '@session/client';
import { pause } from '@session/kit';
import { type MediaServer, userToken } from '@session/media';
import { openSessions, readHistory } from './chaos-client.ts';
import { RejoiningParticipant } from './rejoining-participant.ts';

/** The number of flooded rooms. In each, one participant sends 20 messages every 10 ms. */
const FLOODED = 2;
const BATCH = 20;
const EVERY_MS = 10;
/**
 * How much the API and the recorders let one sender store: `SENDER_MESSAGES_PER_SECOND`, and a minute's worth at once.
 */
const PER_SECOND = 20;
const BURST = 60 * PER_SECOND;

export interface GreedyAccount extends AsyncDisposable {
  /**
   * Ends the flood once the histories report it. Returns a line for each flooded session that has too many messages, or
   * no gap `flood`. `starts`: how often recorders were started, because each start counts from zero.
   */
  check(starts: number, say: (line: string) => void, stop: AbortSignal): Promise<string[]>;
}

/** Starts an account that creates `count` sessions, as far as it may, and floods the first two; none if `count` is 0. */
export async function startGreedyAccount(
  apiUrls: readonly string[],
  media: MediaServer,
  count: number,
  stop: AbortSignal,
): Promise<GreedyAccount> {
  if (count === 0) return { check: async () => [], [Symbol.asyncDispose]: async () => {} };
  const { client, token, projectId, ids } = await openSessions(apiUrls, FLOODED, stop);
  const sessions = [...ids, ...(await createMore(client, projectId, count - FLOODED, stop))];
  const began = Date.now();
  const ending = new AbortController();
  const counts = { sent: 0, refused: 0 };
  const participants = ids.map((room) => {
    const tokenOf = async () =>
      (await userToken(media, { room, userId: 'greedy', name: 'G' })).token;
    return new RejoiningParticipant(media.url, tokenOf);
  });
  const flooding = Promise.all([
    ...participants.map((participant) =>
      flood(ending.signal, async () => {
        if (!participant.room) return;
        counts.sent += 1;
        await participant.room.say('flood');
      }),
    ),
    flood(ending.signal, async () => {
      const url = new URL(`/sessions/${ids[0]}/messages`, apiUrls[0]);
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ content: 'flood' });
      counts.sent += 1;
      const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(10_000)]);
      const answer = await fetch(url, { method: 'POST', headers, body, signal });
      await answer.arrayBuffer();
      if (answer.status === 429) counts.refused += 1;
    }),
  ]);
  const end = async () => {
    ending.abort();
    await flooding;
    await Promise.all(participants.map((one) => one[Symbol.asyncDispose]()));
  };
  return {
    async check(starts, say, signal) {
      // The last recorder may have started a moment ago: a gap `flood` is stored 10 s after the burst is used up.
      for (const id of ids) await untilTold(client, id, signal);
      await end();
      const { sent, refused } = counts;
      say(`greedy account: ${sessions.length} sessions, ${sent} messages sent, ${refused} refused`);
      const seconds = (Date.now() - began) / 1000;
      // The first session is flooded through the API too, by its own sender.
      const allowed = (starts + 2) * (BURST + PER_SECOND * seconds);
      const faults: string[] = [];
      for (const id of ids) faults.push(...(await checkFlooded(client, id, allowed, signal)));
      for (const id of sessions) await client.sessions.close(id, { signal });
      return faults;
    },
    [Symbol.asyncDispose]: end,
  };
}

async function createMore(client: Client, projectId: string, count: number, signal: AbortSignal) {
  const ids: string[] = [];
  try {
    while (ids.length < count) {
      ids.push((await client.sessions.create(projectId, { name: 'Greed' }, { signal })).id);
    }
  } catch (error) {
    if (!isApiError(error) || error.status >= 500) throw error;
  }
  return ids;
}

async function flood(signal: AbortSignal, send: () => Promise<void>): Promise<void> {
  while (await pause(EVERY_MS, signal)) {
    await Promise.all(Array.from({ length: BATCH }, () => send().catch(() => {})));
  }
}

async function untilTold(client: Client, sessionId: string, signal: AbortSignal): Promise<void> {
  for (let tries = 0; tries < 60; tries += 1) {
    if (hasFlood(await readHistory(client, sessionId, signal))) return;
    if (!(await pause(1000, signal))) return;
  }
}

function hasFlood(history: readonly Message[]): boolean {
  return history.some(({ metadata }) => metadata?.['reason'] === 'flood');
}

async function checkFlooded(
  client: Client,
  sessionId: string,
  allowed: number,
  signal: AbortSignal,
): Promise<string[]> {
  const history = await readHistory(client, sessionId, signal);
  const stored = history.filter(({ role }) => role === 'user').length;
  const isTold = hasFlood(history);
  return [
    ...(stored > allowed ? [`greedy: ${stored} messages stored, and ${allowed} allowed`] : []),
    ...(isTold ? [] : [`greedy: no gap reports the flood in ${sessionId}`]),
  ];
}
