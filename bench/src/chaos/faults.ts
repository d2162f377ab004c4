import { pause, sendSignal } from '@session/kit';
import { freezeFamilies } from '@session/local';
import type { SeededRandom } from './seeded-random.ts';

const FAULTS = {
  'kill-recorder': { part: 'recorder', does: 'kill' },
  'kill-two-recorders': { part: 'recorder', does: 'kill-two' },
  'kill-api': { part: 'api', does: 'kill' },
  'kill-postgres': { part: 'postgres', does: 'kill' },
  'kill-media': { part: 'media', does: 'kill' },
  'freeze-recorder': { part: 'recorder', does: 'freeze' },
  'freeze-api': { part: 'api', does: 'freeze' },
  'freeze-postgres': { part: 'postgres', does: 'freeze' },
  'freeze-media': { part: 'media', does: 'freeze' },
  'away-postgres': { part: 'postgres', does: 'away' },
  'drain-media': { part: 'media', does: 'drain' },
  'kill-redis': { part: 'redis', does: 'kill' },
  'flush-redis': { part: 'redis', does: 'flush' },
  'restart-recorders': { part: 'recorder', does: 'restart' },
  'restart-apis': { part: 'api', does: 'restart' },
  'fail-over': { part: 'database', does: 'fail-over' },
} as const;

export type FaultName = keyof typeof FAULTS;

export const FAULT_NAMES = Object.keys(FAULTS).filter(isFaultName);

/** The faults that are injected without --faults and --standby. The others take long, or cause no failure if all goes well. */
export const USUAL_FAULTS = FAULT_NAMES.filter((name) => /^(kill|freeze)-(?!redis)\w+$/.test(name));

const AWAY_MS = 120_000;
const RESTART_TIMEOUT_MS = 90_000;
const POLL_MS = 100;
const DRAIN_MS = 5000;
const KILL_TWO_WITHIN_MS = 2000;

/** Some are shorter and some longer than what a recorder counts as a stall, and than LiveKit's limit for a lost client. */
const FREEZES_MS = [500, 2000, 6000, 15_000, 25_000];

export function isFaultName(name: string): name is FaultName {
  return name in FAULTS;
}

/** `failOver` is undefined without a standby, and `flush` without Redis. */
interface FaultTarget {
  pids(): Promise<Readonly<Record<string, number>>>;
  isHealthy(part: string): Promise<boolean>;
  readonly failOver: (() => Promise<void>) | undefined;
  readonly flush: (() => Promise<void>) | undefined;
  readonly say: (line: string) => void;
}

/**
 * Injects faults until `stop` aborts, `everyMs` apart on average, and returns their number. The same seed gives the same
 * faults. At the end every frozen process runs again.
 */
export async function injectFaults(
  target: FaultTarget,
  plan: { readonly faults: readonly FaultName[]; readonly everyMs: number },
  random: SeededRandom,
  stop: AbortSignal,
): Promise<number> {
  let count = 0;
  while (await pause(plan.everyMs * random.between(0.5, 1.5), stop)) {
    const fault = random.choose(plan.faults);
    const freezeMs = random.choose(FREEZES_MS);
    const { part } = FAULTS[fault];
    const found = Object.entries(await target.pids()).filter(([key]) => key.startsWith(part));
    if (found.length === 0) continue;
    const victim = random.choose(found);
    await inject(target, FAULTS[fault], { found, victim, freezeMs }, random, stop);
    count += 1;
  }
  return count;
}

type Process = readonly [name: string, pid: number];

async function inject(
  target: FaultTarget,
  { part, does }: (typeof FAULTS)[FaultName],
  choice: {
    readonly found: readonly Process[];
    readonly victim: Process;
    readonly freezeMs: number;
  },
  random: SeededRandom,
  stop: AbortSignal,
): Promise<void> {
  const { found, victim, freezeMs } = choice;
  const [name, pid] = victim;
  if (does === 'fail-over') await failOver(target);
  else if (does === 'flush') await flush(target);
  else if (does === 'drain') await drain(target, name, pid, stop);
  else if (does === 'restart') await restartAll(target, part, stop);
  else if (does === 'kill') kill(target, victim);
  else if (does === 'kill-two') await killTwo(target, found, name, random, stop);
  else {
    const silentMs = does === 'away' ? AWAY_MS : freezeMs;
    target.say(`freeze ${name} for ${silentMs / 1000} s`);
    await freeze(pid, silentMs, stop);
  }
}

async function failOver(target: FaultTarget): Promise<void> {
  target.say('kill the primary of the database, its standby 2 s behind');
  await target.failOver?.();
  target.say('the standby has taken over, and has a standby of its own');
}

async function flush(target: FaultTarget): Promise<void> {
  target.say('flush redis, and let others join: some in a second room of the same name');
  await target.flush?.();
  target.say('those who joined later have left');
}

function kill(target: FaultTarget, [name, pid]: Process): void {
  target.say(`kill ${name}`);
  sendSignal(pid, 'SIGKILL');
}

async function killTwo(
  target: FaultTarget,
  found: readonly Process[],
  first: string,
  random: SeededRandom,
  stop: AbortSignal,
): Promise<void> {
  const others = found.filter(([key]) => key !== first);
  for (const part of found) if (part[0] === first) kill(target, part);
  await pause(random.between(0, KILL_TWO_WITHIN_MS), stop);
  if (others.length > 0) kill(target, random.choose(others));
}

/** Restarts all recorders or all APIs one after another, like the deployment of a new version. */
async function restartAll(target: FaultTarget, part: string, stop: AbortSignal): Promise<void> {
  const all = Object.entries(await target.pids()).filter(([key]) => key.startsWith(part));
  for (const [name, pid] of all) {
    if (stop.aborted) return;
    target.say(`restart ${name}`);
    sendSignal(pid, 'SIGTERM');
    const waiting = AbortSignal.any([stop, AbortSignal.timeout(RESTART_TIMEOUT_MS)]);
    const isBack = async () =>
      (await target.pids())[name] !== pid && (await target.isHealthy(name));
    while (!(await isBack()) && (await pause(POLL_MS, waiting)));
  }
}

/** Sends two SIGTERMs: LiveKit waits for its participants after the first one, and ends at the second. */
async function drain(
  target: FaultTarget,
  victim: string,
  pid: number,
  stop: AbortSignal,
): Promise<void> {
  target.say(`drain ${victim}`);
  sendSignal(pid, 'SIGTERM');
  await pause(DRAIN_MS, stop);
  if ((await target.pids())[victim] === pid) sendSignal(pid, 'SIGTERM');
}

async function freeze(pid: number, freezeMs: number, stop: AbortSignal): Promise<void> {
  await using frozen = new AsyncDisposableStack();
  frozen.use(await freezeFamilies([pid]));
  await pause(freezeMs, stop);
}
