import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { pause } from '@session/kit';
import type { Dice } from './dice.ts';

const run = promisify(execFile);

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
  'restart-recorders': { part: 'recorder', does: 'restart' },
} as const;

export type FaultName = keyof typeof FAULTS;

export const FAULT_NAMES = Object.keys(FAULTS).filter(isFaultName);

/** Those that happen when none is named: the others take long, or are none when all goes well. */
export const USUAL_FAULTS = FAULT_NAMES.filter((name) => /^(kill|freeze)-\w+$/.test(name));

const AWAY_MS = 120_000;
/** Longer than a recorder may take to leave and to come back. */
const RESTART_MS = 60_000;
const LOOK_MS = 100;
/** Two that die together do so within this. */
const BOTH_MS = 2000;

/** Below and above what the recorder takes for a stall of its own, and what LiveKit takes for a client that is gone. */
const FREEZES_MS = [500, 2000, 6000, 15_000, 25_000];

export function isFaultName(name: string): name is FaultName {
  return name in FAULTS;
}

interface Victims {
  /** The processes of the stack by name, as they are now. */
  pids(): Promise<Readonly<Record<string, number>>>;
  /** Whether a recorder does its work. */
  isWell(recorder: string): Promise<boolean>;
  readonly tell: (line: string) => void;
}

/**
 * Makes faults happen one after another until `stop` aborts, `everyMs` apart on average. The same `dice` give the same
 * ones. Whatever it has frozen runs again when it resolves.
 */
export async function makeTrouble(
  victims: Victims,
  plan: { readonly faults: readonly FaultName[]; readonly everyMs: number },
  dice: Dice,
  stop: AbortSignal,
): Promise<number> {
  let count = 0;
  while (await pause(plan.everyMs * dice.between(0.5, 1.5), stop)) {
    const name = dice.one(plan.faults);
    const freezeMs = dice.one(FREEZES_MS);
    const { part, does } = FAULTS[name];
    const found = Object.entries(await victims.pids()).filter(([key]) => key.startsWith(part));
    if (found.length === 0) continue;
    const [victim, pid] = dice.one(found);
    const silentMs = does === 'away' ? AWAY_MS : freezeMs;
    const kill = ([key, its]: [string, number]) => {
      victims.tell(`kill ${key}`);
      send(its, 'SIGKILL');
    };
    if (does === 'restart') await restartAll(victims, stop);
    else if (does === 'kill') kill([victim, pid]);
    else if (does === 'kill-two') {
      kill([victim, pid]);
      const others = found.filter(([key]) => key !== victim);
      await pause(dice.between(0, BOTH_MS), stop);
      if (others.length > 0) kill(dice.one(others));
    } else {
      victims.tell(`freeze ${victim} for ${silentMs / 1000} s`);
      await freeze(pid, silentMs, stop);
    }
    count += 1;
  }
  return count;
}

/** Restarts all recorders, one after another, as a deployment of a new version does. */
async function restartAll(victims: Victims, stop: AbortSignal): Promise<void> {
  const recorders = Object.entries(await victims.pids()).filter(([key]) =>
    key.startsWith('recorder'),
  );
  for (const [name, pid] of recorders) {
    if (stop.aborted) return;
    victims.tell(`restart ${name}`);
    send(pid, 'SIGTERM');
    const patience = AbortSignal.any([stop, AbortSignal.timeout(RESTART_MS)]);
    const isBack = async () => (await victims.pids())[name] !== pid && (await victims.isWell(name));
    while (!(await isBack()) && (await pause(LOOK_MS, patience)));
  }
}

async function freeze(pid: number, freezeMs: number, stop: AbortSignal): Promise<void> {
  const family = [pid, ...(await childrenOf(pid))];
  for (const member of family) send(member, 'SIGSTOP');
  await pause(freezeMs, stop);
  for (const member of family) send(member, 'SIGCONT');
}

/** The processes that `pid` has started: a database server has one for each connection. */
async function childrenOf(pid: number): Promise<number[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=']);
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([child = 0, parent]) => (parent === pid ? [child] : []));
}

/** One that has just ended by itself needs no signal. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
