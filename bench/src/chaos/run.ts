import { pause, StartError } from '@session/kit';
import { Dice } from './dice.ts';
import { makeTrouble } from './faults.ts';
import { MemoryPeak } from './memory-peak.ts';
import type { Options } from './options.ts';
import { ServiceApi } from './service-api.ts';
import { startStack } from './stack.ts';
import { LINES, startTalk, type Talk } from './talk.ts';
import { judge, sum, type Verdict } from './verdict.ts';

const SETTLE_MS = 120_000;
const LOOK_MS = 250;
const VERDICT_MS = 30_000;
/** Longer than any sentence is on its way. */
const LAST_WORDS_MS = 2000;
const REPORT_MS = 30_000;

export interface Outcome {
  readonly verdict: Verdict;
  /** How many faults were made. */
  readonly troubles: number;
  /** Of the largest recorder, at its largest. */
  readonly peakMb: number;
  /** How many messages a second the listener heard, from the first fault's time to the last's. */
  readonly rate: number;
}

/**
 * Has people talk in many rooms of a stack of its own, makes trouble for as long as `options` say, lets it recover, and
 * compares what an independent listener heard with what is stored. Throws a StartError when it does not come to that.
 */
export async function runChaos(
  options: Options,
  say: (line: string) => void,
  stop: AbortSignal,
): Promise<Outcome> {
  say(`Seed ${options.seed}. Starting a stack …`);
  await using stack = await startStack(options, stop);
  const { apiUrl, media } = stack;
  const api = new ServiceApi(apiUrl);
  const ids = await api.openSessions(options.rooms, stop);
  // Whoever is there before the recorders would have a gap of their own.
  for (const id of ids) await untilWell(() => isRecorded(id, api, stop), id, stop);
  const everyMs = (1000 * LINES * options.rooms) / options.rate;
  await using rooms = new AsyncDisposableStack();
  const talks = ids.map((id) => rooms.use(startTalk(media, api, id, everyMs)));
  await settled(talks, api, stop);

  const countHeard = () => talks.reduce((count, { heard }) => count + heard.length, 0);
  const before = countHeard();
  const began = Date.now();
  const tell = (line: string) =>
    say(`${((Date.now() - began) / 1000).toFixed(1).padStart(7)} s  ${line}`);
  const ending = AbortSignal.any([stop, AbortSignal.timeout(options.durationMs)]);
  await using memory = new MemoryPeak(stack.pids);
  const reports = report(countHeard, tell, ending);
  const troubles = await makeTrouble(
    { pids: stack.pids, isWell: stack.isWell, tell },
    options,
    new Dice(options.seed),
    ending,
  );
  await reports;
  const rate = ((countHeard() - before) * 1000) / (Date.now() - began);
  tell('no more faults: waiting until all is well');
  await settled(talks, api, stop);
  await pause(LAST_WORDS_MS, stop);
  await Promise.all(talks.map((talk) => talk.hush()));
  await pause(LAST_WORDS_MS, stop);
  const verdicts = await Promise.all(talks.map((talk) => verdictOn(talk, api, stop)));
  // The stack's folder stays: its next run would record these, too.
  for (const id of ids) await api.closeSession(id, stop);
  return { verdict: sum(verdicts), troubles, peakMb: memory.peakMb, rate };
}

/** Waits until everybody is in their room, and a recorder too. */
async function settled(talks: readonly Talk[], api: ServiceApi, stop: AbortSignal): Promise<void> {
  for (const { sessionId, isComplete } of talks) {
    const isWell = async () => isComplete() && (await isRecorded(sessionId, api, stop));
    await untilWell(isWell, sessionId, stop);
  }
}

async function isRecorded(sessionId: string, api: ServiceApi, stop: AbortSignal): Promise<boolean> {
  return (await api.session(sessionId, stop)).recording.status === 'recording';
}

async function untilWell(
  isWell: () => Promise<boolean>,
  sessionId: string,
  stop: AbortSignal,
): Promise<void> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(SETTLE_MS)]);
  while (!(await isWell())) {
    if (!(await pause(LOOK_MS, signal))) {
      throw new StartError(`Session ${sessionId} is not recorded after ${SETTLE_MS / 1000} s.`);
    }
  }
}

async function report(
  countHeard: () => number,
  tell: (line: string) => void,
  stop: AbortSignal,
): Promise<void> {
  while (await pause(REPORT_MS, stop)) {
    tell(`${countHeard()} heard so far`);
  }
}

/** The verdict when there is nothing wrong any more, or after a while: what is stored and told last takes its time. */
async function verdictOn(talk: Talk, api: ServiceApi, stop: AbortSignal): Promise<Verdict> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(VERDICT_MS)]);
  for (;;) {
    const verdict = await verdictNow(talk, api, stop);
    if (verdict.faults.length === 0 || !(await pause(LOOK_MS, signal))) return verdict;
  }
}

async function verdictNow(
  { sessionId, said, heard, accepted }: Talk,
  api: ServiceApi,
  stop: AbortSignal,
): Promise<Verdict> {
  const history = await api.history(sessionId, stop);
  const { recording } = await api.session(sessionId, stop);
  const stored = history.filter(({ role }) => role !== 'system');
  const told = history.flatMap(({ metadata }) =>
    metadata?.['kind'] === 'recording_gap' ? [gapOf(Object(metadata['payload'] ?? metadata))] : [],
  );
  return judge({
    said,
    heard,
    accepted,
    stored: stored.map(({ id, content }) => ({ id, words: content })),
    gaps: recording.gaps.map(gapOf),
    toldGaps: told,
  });
}

function gapOf({ from, to }: { readonly from: string; readonly to: string }) {
  return { from: Date.parse(from), to: Date.parse(to) };
}
