import type { Client } from '@session/client';
import { pause, StartError } from '@session/kit';
import { type ChaosSessions, openSessions } from './chaos-client.ts';
import { type HistoryCheck, sum } from './check-history.ts';
import { checkUntilFaultless } from './check-session.ts';
import { CHANNEL_COUNT, type ChaosConversation, startConversation } from './conversation.ts';
import { injectFaults } from './faults.ts';
import { startGreedyAccount } from './greedy-account.ts';
import { LateTalk } from './late-talk.ts';
import { MemoryPeak } from './memory-peak.ts';
import type { ChaosOptions } from './options.ts';
import { SeededRandom } from './seeded-random.ts';
import { startStack } from './stack.ts';
import { followSessions } from './streamed-history.ts';
import { sendUnrepeated } from './unrepeated-requests.ts';

const RECOVERY_TIMEOUT_MS = 120_000;
const POLL_MS = 250;
const DELIVERY_MS = 2000;
const REPORT_EVERY_MS = 30_000;

export interface ChaosResult {
  readonly check: HistoryCheck;
  /** How many requests that no client repeats were answered. The failed ones are among the faults. */
  readonly answered: number;
  /** How many of these requests got 503 `unavailable`. With a standby that is not a failure. */
  readonly unavailable: number;
  readonly faultCount: number;
  readonly peakMb: number;
  readonly rate: number;
}

/**
 * Injects faults into conversations on its own stack, lets the stack recover, and compares what listeners received
 * with what is stored. Throws a StartError when the stack does not start or recover.
 */
export async function runChaos(
  options: ChaosOptions,
  say: (line: string) => void,
  stop: AbortSignal,
): Promise<ChaosResult> {
  say(`Seed ${options.seed}. Starting a stack …`);
  await using stack = await startStack(options, stop);
  const { apiUrls, media } = stack;
  const sessions = await openSessions(apiUrls, options.rooms, stop);
  const { client, ids } = sessions;
  // A participant that joined before the recorder would cause its own gap.
  for (const id of ids) await untilRecovered(() => isRecorded(id, client, stop), id, stop);
  const everyMs = (1000 * CHANNEL_COUNT * options.rooms) / options.rate;
  await using rooms = new AsyncDisposableStack();
  const converse = (prefix?: string) =>
    ids.map((id) => rooms.use(startConversation(media, client, id, everyMs, prefix)));
  const conversations = converse();
  const late = new LateTalk(converse);
  await untilAllRecovered(conversations, client, stop);

  const mayBeUnavailable = options.standby !== undefined;
  await using greedy = await startGreedyAccount(apiUrls, media, options.greedy, stop);
  const isLoaded = options.apis > 1 || mayBeUnavailable || apiUrls.length > 1;
  const checkStreams = followSessions(sessions, options.apis > 1 ? apiUrls : [], stop);
  const loads = await startQuietAgents(isLoaded ? apiUrls : [], sessions, stop);

  const countReceived = () => receivedBy(conversations);
  const before = countReceived();
  const began = Date.now();
  const sayWithTime = (line: string) =>
    say(`${((Date.now() - began) / 1000).toFixed(1).padStart(7)} s  ${line}`);
  const ending = AbortSignal.any([stop, AbortSignal.timeout(options.durationMs)]);
  await using memory = new MemoryPeak(stack.pids);
  const loadEnd = new AbortController();
  const loadStop = AbortSignal.any([stop, loadEnd.signal]);
  const loading = loads.map(({ apiUrl, agent }) =>
    sendUnrepeated({ ...sessions, apiUrl, mayBeUnavailable, agent }, loadStop),
  );
  const reports = report(countReceived, sayWithTime, ending);
  const faultCount = await injectFaults(
    { ...stack, flush: () => late.flush(stack.flushRedis, ending), say: sayWithTime },
    options,
    new SeededRandom(options.seed),
    ending,
  );
  await reports;
  const rate = ((countReceived() - before) * 1000) / (Date.now() - began);
  sayWithTime('no more faults: waiting until all sessions are recorded again');
  await untilAllRecovered(conversations, client, stop);
  await pause(DELIVERY_MS, stop);
  loadEnd.abort();
  const ofGreedy = await greedy.check(faultCount + options.recorders, sayWithTime, stop);
  const results = await Promise.all(loading);
  await Promise.all(conversations.map((conversation) => conversation.stopSending()));
  await pause(DELIVERY_MS, stop);
  const checking = conversations.map((each) => checkUntilFaultless(late.with(each), client, stop));
  const check = sum(await Promise.all(checking));
  // Nothing is left to record when the stack ends.
  await closeAll(client, [...ids, ...loads.map(({ agent }) => agent.sessionId)], stop);
  const ofClient = mayBeUnavailable || apiUrls.length > 1 ? sessions.failures : [];
  const ofLoads = [...results.flatMap(({ failures }) => failures), ...(await checkStreams())];
  const faults = [...ofLoads, ...ofClient, ...ofGreedy, ...check.faults];
  return {
    check: { ...check, faults },
    answered: results.reduce((total, { answered }) => total + answered, 0),
    unavailable: results.reduce((total, { unavailable }) => total + unavailable, 0),
    faultCount,
    peakMb: memory.peakMb,
    rate,
  };
}

function receivedBy(conversations: readonly ChaosConversation[]): number {
  return conversations.reduce((count, { received }) => count + received.length, 0);
}

async function closeAll(client: Client, ids: readonly string[], signal: AbortSignal) {
  for (const id of ids) await client.sessions.close(id, { signal });
}

async function startQuietAgents(
  apiUrls: readonly string[],
  sessions: ChaosSessions,
  stop: AbortSignal,
) {
  const starts = apiUrls.map(async (apiUrl) => {
    const agent = await startQuietAgent(sessions, stop);
    return { apiUrl, agent };
  });
  return await Promise.all(starts);
}

/** Starts an agent in a session of its own: in the other sessions it would answer. */
async function startQuietAgent({ client, projectId }: ChaosSessions, stop: AbortSignal) {
  const session = await client.sessions.create(projectId, { name: 'Agent' }, { signal: stop });
  const { id } = await client.agents.start(session.id, { role: 'echo-agent' }, { signal: stop });
  const isRunning = async () =>
    (await client.agents.get(id, { signal: stop })).status === 'Running';
  await untilRecovered(isRunning, session.id, stop);
  return { id, sessionId: session.id };
}

async function untilAllRecovered(
  conversations: readonly ChaosConversation[],
  client: Client,
  stop: AbortSignal,
): Promise<void> {
  for (const { sessionId, isComplete } of conversations) {
    const isRecovered = async () => isComplete() && (await isRecorded(sessionId, client, stop));
    await untilRecovered(isRecovered, sessionId, stop);
  }
}

async function isRecorded(sessionId: string, client: Client, stop: AbortSignal): Promise<boolean> {
  return (await client.sessions.get(sessionId, { signal: stop })).recording.status === 'recording';
}

async function untilRecovered(
  isRecovered: () => Promise<boolean>,
  sessionId: string,
  stop: AbortSignal,
): Promise<void> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(RECOVERY_TIMEOUT_MS)]);
  while (!(await isRecovered())) {
    if (!(await pause(POLL_MS, signal))) {
      const seconds = RECOVERY_TIMEOUT_MS / 1000;
      throw new StartError(
        `Session ${sessionId} has not recovered after ${seconds} s: check the logs of the stack.`,
      );
    }
  }
}

async function report(
  countReceived: () => number,
  say: (line: string) => void,
  stop: AbortSignal,
): Promise<void> {
  while (await pause(REPORT_EVERY_MS, stop)) say(`${countReceived()} received so far`);
}
