import { createClient } from '@session/client';
import { pause } from '@session/kit';
import { type HistoryCheck, sum } from '../chaos/check-history.ts';
import { checkUntilFaultless } from '../chaos/check-session.ts';
import { CrowdMember } from './crowd-member.ts';
import { CrowdTally } from './figures.ts';

// People and their readers, in their own process, so that their cost is not counted as the service's.

export type CrowdJob =
  | {
      readonly kind: 'join';
      readonly sessionId: string;
      readonly hasAgent: boolean;
      /** The part of the interval between two messages that passes before the first message. */
      readonly turn: number;
    }
  | { readonly kind: 'talk'; readonly everyMs: number }
  | { readonly kind: 'report' }
  | { readonly kind: 'finish' };

export interface CrowdEnd {
  readonly check: HistoryCheck;
  readonly unread: number;
  readonly unanswered: number;
}

const POLL_MS = 20;
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
