import { pause } from '@session/kit';
import { AnswerTally } from './answer-tally.ts';
import { useConsole } from './console-user.ts';

const POLLERS = 6;
const FOLLOWERS = 6;
const CONSOLES = 3;
const SHORT_EVERY_MS = 100;
const WAIT_SECONDS = 20;
const RECONNECT_MS = 200;

export interface LoadTarget {
  readonly apiUrl: string;
  readonly token: string;
  readonly ids: readonly string[];
  readonly agent: { readonly id: string; readonly sessionId: string };
  readonly mayBeUnavailable: boolean;
}

/**
 * Until `stop` aborts, sends requests that no client repeats, and returns how they ended. A log that ends properly is
 * followed again.
 */
export async function sendUnrepeated(target: LoadTarget, stop: AbortSignal): Promise<AnswerTally> {
  const { apiUrl, token, agent } = target;
  const tally = new AnswerTally(target.mayBeUnavailable);
  const ask = async (path: string, accept: string) => {
    const headers = { authorization: `Bearer ${token}`, accept };
    // What failed is counted already.
    const answer = await tally
      .fetch(new URL(path, apiUrl), { headers, signal: stop })
      .catch(() => undefined);
    await answer?.text().catch(() => {});
  };
  const poll = async (sessionId: string) => {
    const path = `/sessions/${sessionId}/messages/latest?wait=${WAIT_SECONDS}&since=`;
    while (!stop.aborted) await ask(`${path}${new Date().toISOString()}`, 'application/json');
  };
  const follow = async () => {
    do await ask(`/agents/${agent.id}/logs`, 'text/event-stream');
    while (await pause(RECONNECT_MS, stop));
  };
  const askShortly = async (sessionId: string) => {
    do await ask(`/sessions/${sessionId}`, 'application/json');
    while (await pause(SHORT_EVERY_MS, stop));
  };
  const { sessionId, id: agentId } = agent;
  const console = () => useConsole({ apiUrl, token, sessionId, agentId, fetch: tally.fetch }, stop);
  await Promise.all([
    ...target.ids.flatMap((id) => [...times(POLLERS, () => poll(id)), askShortly(id)]),
    ...times(FOLLOWERS, follow),
    ...times(CONSOLES, console),
  ]);
  return tally;
}

function times(count: number, job: () => Promise<void>): Promise<void>[] {
  return Array.from({ length: count }, job);
}
