import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

/** How long a client waits after a 429 or 503, on average. */
const RETRY_MS = 1000;

export interface LoadRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly method?: 'POST';
  readonly body?: string;
}

export interface Load {
  readonly address: string;
  readonly requests: readonly LoadRequest[];
  readonly durationMs: number;
}

export interface TimedAnswer {
  readonly status: number;
  readonly latencyMs: number;
  /** The body of an answer with a status from 400 on. */
  readonly problem: string | undefined;
}

export interface LoadResult {
  readonly elapsedMs: number;
  readonly answers: readonly TimedAnswer[];
}

/** A closed loop: each client waits for its answer. The rate shows what a server can do; the latencies hide a stall. */
export async function sendByClients(load: Load, clients: number): Promise<LoadResult> {
  return await run(load, async (send, isOver) => {
    const repeat = async () => {
      while (!isOver()) {
        const { status } = await send();
        // Clients that are refused together do not come back together.
        if (status === 429 || status === 503) await sleep(RETRY_MS * (0.5 + Math.random()));
      }
    };
    await Promise.all(Array.from({ length: clients }, repeat));
  });
}

/** An open loop at fixed times: its latencies contain the wait in a stall. */
export async function sendAtRate(load: Load, perSecond: number): Promise<LoadResult> {
  return await run(load, async (send, isOver) => {
    const began = performance.now();
    const sent: Promise<TimedAnswer>[] = [];
    while (!isOver()) {
      const sending = send();
      // `Promise.all` throws a failure at the end.
      sending.catch(() => {});
      sent.push(sending);
      const nextAt = began + (sent.length * 1000) / perSecond;
      await sleep(Math.max(0, nextAt - performance.now()));
    }
    await Promise.all(sent);
  });
}

async function run(
  { address, requests, durationMs }: Load,
  sendAll: (send: () => Promise<TimedAnswer>, isOver: () => boolean) => Promise<void>,
): Promise<LoadResult> {
  const pool = new Pool(address);
  const answers: TimedAnswer[] = [];
  let sent = 0;
  const send = async () => {
    const request = requests[sent % requests.length];
    if (!request) throw new Error('the load has no requests');
    sent += 1;
    const from = performance.now();
    const { statusCode, body } = await pool.request({ method: 'GET', body: null, ...request });
    const problem = statusCode < 400 ? undefined : await body.text();
    if (problem === undefined) await body.dump();
    const answer = { status: statusCode, latencyMs: performance.now() - from, problem };
    answers.push(answer);
    return answer;
  };
  const began = performance.now();
  await sendAll(send, () => performance.now() - began > durationMs);
  const elapsedMs = performance.now() - began;
  await pool.close();
  return { elapsedMs, answers };
}
