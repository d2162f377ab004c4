import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { createClient } from '@session/client';
import { markdownTable, median, percentile, ratioText } from '../measure/figures.ts';
import type { BenchOptions } from '../measure/servers.ts';
import { type LoadResult, sendAtRate, sendByClients, type TimedAnswer } from './load.ts';
import type { Servers } from './servers.ts';

/** A login takes long, so a round of the usual length would contain few. */
const ROUND_FACTOR = 3;
const CHEAP_PER_SECOND = 100;
/** Many more simultaneous logins from one address than the API hashes or queues. */
const PEOPLE = 34 * Math.max(1, availableParallelism() - 1);

export async function benchLogins(
  servers: Servers,
  url: string,
  { rounds, roundMs, progress, stop }: BenchOptions,
): Promise<string> {
  const { address } = await servers.startApi(url);
  const account = { email: `bench-${randomUUID()}@example.org`, password: randomUUID() };
  const { token } = await createClient({ baseUrl: address }).auth.signUp({
    ...account,
    name: 'Bench',
  });
  const me = { path: '/auth/me', headers: { authorization: `Bearer ${token}` } };
  const login = {
    path: '/auth/login',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  } as const;
  const durationMs = ROUND_FACTOR * roundMs;
  const cheap = async () => {
    const load = { address, requests: [me], durationMs };
    return latencies((await sendAtRate(load, CHEAP_PER_SECOND)).answers, 200);
  };
  await cheap();
  const measured: { idle: number[]; busy: number[]; logins: LoadResult }[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    stop.throwIfAborted();
    await progress.during(`Logins, round ${round} of ${rounds}`, async () => {
      const idle = await cheap();
      const flooding = sendByClients({ address, requests: [login], durationMs }, PEOPLE);
      const [busy, logins] = await Promise.all([cheap(), flooding]);
      measured.push({ idle, busy, logins });
    });
  }
  const p99 = (of: 'idle' | 'busy') => measured.map((round) => percentile(round[of], 0.99));
  const rows = (['idle', 'busy'] as const).map((of) => {
    const all = measured.flatMap((round) => round[of]);
    return [of, ...[percentile(all, 0.5), median(p99(of)), Math.max(...all)].map(inMs)];
  });
  const answers = measured.flatMap(({ logins }) => logins.answers);
  const seconds = measured.reduce((sum, { logins }) => sum + logins.elapsedMs / 1000, 0);
  const refused = [...latencies(answers, 429), ...latencies(answers, 503)];
  return [
    markdownTable(['`GET /auth/me`', 'p50', 'p99', 'longest'], rows),
    '',
    `p99 busy / idle: ${ratioText(p99('busy'), p99('idle'))}`,
    `logins: ${(latencies(answers, 200).length / seconds).toFixed(1)} per second; refused: ${refused.length}, each within ${inMs(Math.max(...refused))}, p99 ${inMs(percentile(refused, 0.99))}`,
  ].join('\n');
}

function latencies(answers: readonly TimedAnswer[], status: number): number[] {
  return answers.filter((answer) => answer.status === status).map(({ latencyMs }) => latencyMs);
}

function inMs(value: number): string {
  return `${value.toFixed(1)} ms`;
}
