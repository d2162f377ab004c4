import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { pause } from '@session/kit';
import type { Dice } from './dice.ts';

const run = promisify(execFile);

const FAULTS = {
  'kill-recorder': { part: 'recorder', freezes: false },
  'kill-api': { part: 'api', freezes: false },
  'kill-postgres': { part: 'postgres', freezes: false },
  'kill-media': { part: 'media', freezes: false },
  'freeze-recorder': { part: 'recorder', freezes: true },
  'freeze-api': { part: 'api', freezes: true },
  'freeze-postgres': { part: 'postgres', freezes: true },
  'freeze-media': { part: 'media', freezes: true },
} as const;

export type FaultName = keyof typeof FAULTS;

export const FAULT_NAMES = Object.keys(FAULTS).filter(isFaultName);

/** Below and above what the recorder takes for a stall of its own, and what LiveKit takes for a client that is gone. */
const FREEZES_MS = [500, 2000, 6000, 15_000, 25_000];

export function isFaultName(name: string): name is FaultName {
  return name in FAULTS;
}

interface Victims {
  /** The processes of the stack by name, as they are now. */
  pids(): Promise<Readonly<Record<string, number>>>;
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
    const { part, freezes } = FAULTS[name];
    const found = Object.entries(await victims.pids()).filter(([key]) => key.startsWith(part));
    if (found.length === 0) continue;
    const [victim, pid] = dice.one(found);
    victims.tell(freezes ? `freeze ${victim} for ${freezeMs / 1000} s` : `kill ${victim}`);
    if (freezes) await freeze(pid, freezeMs, stop);
    else send(pid, 'SIGKILL');
    count += 1;
  }
  return count;
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
