import { pause } from '@session/kit';
import { failureOf, saysUnavailable } from './answers.ts';

/** Long polls at a time in each session, and followers of the agent's log. */
const POLLERS = 6;
const FOLLOWERS = 6;
const SHORT_EVERY_MS = 100;
/** A poll waits so long for a message, unless one comes. */
const WAIT_SECONDS = 20;
const RECONNECT_MS = 200;

export interface LoadTarget {
  readonly apiUrl: string;
  readonly token: string;
  readonly ids: readonly string[];
  /** The agent whose log is followed. */
  readonly agentId: string;
  /** Whether 503 `unavailable` is no failure. */
  readonly mayBeUnavailable: boolean;
}

/** What clients saw. */
export interface LoadResult {
  /** How many requests were answered, the followed logs among them. */
  readonly answered: number;
  /** How many were answered with 503 `unavailable`, where that is no failure. */
  readonly unavailable: number;
  /** Each request that failed, and each stream that broke. */
  readonly failures: readonly string[];
}

/**
 * Sends requests that no client repeats, until `stop` aborts: long polls, followed logs, and short requests. Returns how they
 * ended. A log whose stream ends properly is followed again, as a browser does.
 */
export async function sendUnrepeated(target: LoadTarget, stop: AbortSignal): Promise<LoadResult> {
  let answered = 0;
  let unavailable = 0;
  const failures: string[] = [];
  const ask = async (path: string, accept: string) => {
    try {
      const answer = await fetch(new URL(path, target.apiUrl), {
        headers: { authorization: `Bearer ${target.token}`, accept },
        signal: stop,
      });
      const text = await answer.text();
      if (answer.ok) answered += 1;
      else if (target.mayBeUnavailable && saysUnavailable(answer, text)) unavailable += 1;
      else failures.push(failureOf(answer, text));
      return answer.ok ? text : '';
    } catch (error) {
      if (!stop.aborted) failures.push(`${path}: ${reasonOf(error)}`);
      return '';
    }
  };
  const poll = async (sessionId: string) => {
    const path = `/sessions/${sessionId}/messages/latest?wait=${WAIT_SECONDS}&since=`;
    while (!stop.aborted) await ask(`${path}${new Date().toISOString()}`, 'application/json');
  };
  const follow = async () => {
    do await ask(`/agents/${target.agentId}/logs`, 'text/event-stream');
    while (await pause(RECONNECT_MS, stop));
  };
  const askShortly = async (sessionId: string) => {
    do await ask(`/sessions/${sessionId}`, 'application/json');
    while (await pause(SHORT_EVERY_MS, stop));
  };
  await Promise.all([
    ...target.ids.flatMap((id) => [...times(POLLERS, () => poll(id)), askShortly(id)]),
    ...times(FOLLOWERS, follow),
  ]);
  return { answered, unavailable, failures };
}

function times(count: number, job: () => Promise<void>): Promise<void>[] {
  return Array.from({ length: count }, job);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
