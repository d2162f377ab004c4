import { createClient } from '@session/client';
import { pause } from '@session/kit';
import { sum } from '../chaos/check-history.ts';
import { checkUntilFaultless } from '../chaos/check-session.ts';
import type { CrowdEnd, CrowdJob } from './crowd-job.ts';
import { CrowdMember } from './crowd-member.ts';
import { CrowdTally } from './crowd-tally.ts';

// People and their readers, in a process of their own, so that their cost is not counted as the service's.

const POLL_MS = 20;
/** How long the last messages and answers may take. */
const LAST_TIMEOUT_MS = 10_000;

const { API_URL = '', MEDIA_URL = '', TOKEN = '' } = process.env;
const never = new AbortController().signal;
// A request that fails is counted, and not repeated.
const client = createClient({ baseUrl: API_URL, token: TOKEN, maxRetries: 0 });
const checkingClient = createClient({ baseUrl: API_URL, token: TOKEN });
const tally = new CrowdTally();
const people: { readonly person: CrowdMember; readonly turn: number }[] = [];

// The probe answers `usage`.
process.on('message', (job: CrowdJob | string) => {
  if (typeof job !== 'string') void run(job).then((answer) => process.send?.(answer));
});
process.send?.('ready');

async function run(job: CrowdJob): Promise<object> {
  if (job.kind === 'report') return tally.report();
  if (job.kind === 'finish') return await finish();
  if (job.kind === 'join') return await join(job);
  for (const { person, turn } of people) person.begin(job.everyMs, turn * job.everyMs);
  return {};
}

async function join({ sessionId, hasAgent, turn }: CrowdJob & { kind: 'join' }): Promise<object> {
  const person = new CrowdMember({ client, mediaUrl: MEDIA_URL, sessionId, hasAgent, tally });
  people.push({ person, turn });
  while (!person.isInRoom) await pause(POLL_MS, never);
  return {};
}

async function finish(): Promise<CrowdEnd> {
  for (const { person } of people) person.stopTalking();
  const isPending = () => people.some(({ person }) => person.unread + person.unanswered > 0);
  const timeout = AbortSignal.timeout(LAST_TIMEOUT_MS);
  while (isPending() && (await pause(POLL_MS, timeout)));
  const [unread, unanswered] = [total('unread'), total('unanswered')];
  await Promise.all(people.map(({ person }) => person[Symbol.asyncDispose]()));
  const checks = await Promise.all(
    people.map(({ person }) => checkUntilFaultless(person.words(), checkingClient, never)),
  );
  return { check: sum(checks), unread, unanswered };
}

function total(of: 'unanswered' | 'unread'): number {
  return people.reduce((before, { person }) => before + person[of], 0);
}
