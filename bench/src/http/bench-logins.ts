import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { StartError } from '@session/kit';
import type { BenchOptions } from '../measure/bench-options.ts';
import type { LoadRequest, LoadResult, TimedAnswer } from '../measure/load-job.ts';
import { median, percentile } from '../measure/statistics.ts';
import { markdownTable } from '../measure/table.ts';
import type { Servers } from './servers.ts';

/** A login takes long: a round of the usual length would contain few. */
const ROUND_FACTOR = 3;
const PASSWORD = 'correct horse';
const CHEAP_PER_SECOND = 100;
/** Many more users of one address than the API hashes for and lets wait. */
const PEOPLE = 34 * Math.max(1, availableParallelism() - 1);

/** Measures how long a cheap request takes on an idle API, and while users log in as fast as they can. */
export async function benchLogins(
  servers: Servers,
  url: string,
  { rounds, roundMs, progress, stop }: BenchOptions,
): Promise<string> {
  const { address } = await servers.startApi(url);
  const [load, flood] = [await servers.startLoad(), await servers.startLoad()];
  const { token, login } = await signUp(address);
  const me = { path: '/auth/me', headers: { authorization: `Bearer ${token}` } };
  const paced = { kind: 'paced', perSecond: CHEAP_PER_SECOND, address, requests: [me] };
  const cheap = async () => {
    const result = await load.ask<LoadResult>({ ...paced, durationMs: ROUND_FACTOR * roundMs });
    return latencies(result.answers, 200);
  };
  const people = { kind: 'logins', people: PEOPLE, address, requests: [login] };
  await cheap();
  const measured: { idle: number[]; busy: number[]; logins: LoadResult }[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    stop.throwIfAborted();
    await progress.during(`Logins, round ${round} of ${rounds}`, async () => {
      const idle = await cheap();
      const flooding = flood.ask<LoadResult>({ ...people, durationMs: ROUND_FACTOR * roundMs });
      const busy = await cheap();
      measured.push({ idle, busy, logins: await flooding });
    });
  }
  const p99 = (of: 'idle' | 'busy') => measured.map((round) => percentile(round[of], 0.99));
  const rows = (['idle', 'busy'] as const).map((of) => {
    const all = measured.flatMap((round) => round[of]);
    return [of, percentile(all, 0.5), median(p99(of)), Math.max(...all)].map(inMs);
  });
  const ratios = measured.map(({ idle, busy }) => percentile(busy, 0.99) / percentile(idle, 0.99));
  const answers = measured.flatMap(({ logins }) => logins.answers);
  const seconds = measured.reduce((sum, { logins }) => sum + logins.elapsedMs / 1000, 0);
  const refused = [...latencies(answers, 429), ...latencies(answers, 503)];
  return [
    markdownTable(['`GET /auth/me`', 'p50', 'p99', 'longest'], rows),
    '',
    `p99 busy / idle: ${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`,
    `logins: ${(latencies(answers, 200).length / seconds).toFixed(1)} per second; refused: ${refused.length}, each within ${inMs(Math.max(...refused))}, p99 ${inMs(percentile(refused, 0.99))}`,
  ].join('\n');
}

/** Signs a new user up, and returns the token and the request that logs the user in. */
async function signUp(address: string): Promise<{ token: string; login: LoadRequest }> {
  const headers = { 'content-type': 'application/json' };
  const user = { email: `bench-${randomUUID()}@example.org`, password: PASSWORD };
  const body = JSON.stringify({ ...user, name: 'Bench' });
  const answer = await fetch(`${address}/auth/signup`, { method: 'POST', headers, body });
  if (answer.status !== 201) throw new StartError(`The signup was answered with ${answer.status}.`);
  const { token } = JSON.parse(await answer.text());
  const login = {
    path: '/auth/login',
    headers,
    method: 'POST',
    body: JSON.stringify(user),
  } as const;
  return { token, login };
}

function latencies(answers: readonly TimedAnswer[], status: number): number[] {
  return answers.filter((answer) => answer.status === status).map(({ latencyMs }) => latencyMs);
}

function inMs(value: number | string): string {
  return typeof value === 'string' ? value : `${value.toFixed(1)} ms`;
}
