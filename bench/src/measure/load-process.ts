import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { LoadJob, LoadResult, TimedAnswer } from './load-job.ts';

// Sends the load from a process of its own, so that its cost is not counted as the server's.

const RETRY_MS = 1000;

process.on('message', (job: LoadJob) => void run(job).then((result) => process.send?.(result)));
process.send?.('ready');

async function run(job: LoadJob): Promise<LoadResult> {
  const pool = new Pool(job.address);
  const answers: TimedAnswer[] = [];
  const send = senderOf(job, pool, answers);
  const began = performance.now();
  const isOver = () => performance.now() - began > job.durationMs;
  if (job.kind === 'paced') {
    await pace(job.perSecond, send, isOver);
  } else {
    const count = job.kind === 'logins' ? job.people : job.connections;
    const repeat = async () => {
      while (!isOver()) {
        const { status } = await send();
        // Users who are refused together do not come back together.
        if (status === 429 || status === 503) await sleep(RETRY_MS * (0.5 + Math.random()));
      }
    };
    await Promise.all(Array.from({ length: count }, repeat));
  }
  const elapsedMs = performance.now() - began;
  await pool.close();
  return { elapsedMs, answers };
}

/** Returns a function that sends the next request of the job and adds its answer to `answers`. */
function senderOf(job: LoadJob, pool: Pool, answers: TimedAnswer[]): () => Promise<TimedAnswer> {
  const { requests } = job;
  let sent = 0;
  return async () => {
    const request = requests[sent % requests.length];
    if (!request) throw new Error('the job has no requests');
    sent += 1;
    const from = performance.now();
    const { statusCode, body } = await pool.request({ method: 'GET', body: null, ...request });
    await body.dump();
    const answer = { status: statusCode, latencyMs: performance.now() - from };
    answers.push(answer);
    return answer;
  };
}

/** Sends at fixed times, whether or not the last request is answered. */
async function pace(perSecond: number, send: () => Promise<TimedAnswer>, isOver: () => boolean) {
  const began = performance.now();
  const sent: Promise<TimedAnswer>[] = [];
  while (!isOver()) {
    sent.push(send());
    const nextAt = began + (sent.length * 1000) / perSecond;
    await sleep(Math.max(0, nextAt - performance.now()));
  }
  await Promise.all(sent);
}
