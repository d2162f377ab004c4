import type { StopReason } from '@session/agents';
import type { Agent } from '@session/contract';
import { hasCode, pause } from '@session/kit';
import { type Arbitrary, integer, nat, record, sample } from 'fast-check';
import { pidsWith } from './agent-processes.ts';
import type { TestAgents } from './agents.ts';

/** How many come and go, and which of all possible runs it is: `CHURN_AGENTS=200 CHURN_SEED=7 npm test -- churn`. */
const COUNT = Number(process.env['CHURN_AGENTS'] ?? 8);
const SEED = Number(process.env['CHURN_SEED'] ?? 1);
export const CHURN_TIMEOUT_MS = 120_000 + COUNT * 5000;

const AT_ONCE = 8;
const LONGEST_LIFE_MS = 4000;
const FAULT_EVERY_MS = [500, 5000] as const;
/** What happened to an agent may show so late: a leader that was killed is missed after 15 s. */
const PATIENCE_MS = 40_000;

/** What happens to one agent: gives why it stops then, one of these; or none when there was nothing to happen to. */
export type End = (agent: Agent) => Promise<readonly StopReason[]>;
/** What happens to all of them: gives why each of them may stop then, or undefined when none is to. */
type Fault = () => Promise<StopReason | undefined>;

/** It is asked to stop. */
export function stopping(agents: TestAgents): End {
  return async ({ id }) => {
    await agents.stop(id);
    return ['requested'];
  };
}

/** Its session is closed. */
export function closing({ api, ana }: TestAgents): End {
  return async ({ sessionId }) => {
    await api.inject(ana, { method: 'POST', url: `/sessions/${sessionId}/close` });
    return ['session_closed'];
  };
}

/** Its process is killed, if it has one. */
export async function killing({ id }: Agent): Promise<readonly StopReason[]> {
  const pids = await pidsWith(new Set([`AGENT_ID=${id}`]));
  return pids.filter(kill).length > 0 ? ['crashed'] : [];
}

function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It has just ended by itself.
    if (hasCode(error, 'ESRCH')) return false;
    throw error;
  }
}

export interface Churn {
  readonly agents: TestAgents;
  readonly ends: readonly End[];
  readonly faults: readonly Fault[];
}

/** An agent, and every reason for which it may have stopped. */
interface Life {
  readonly agent: Agent;
  readonly reasons: Set<string>;
  isOver: boolean;
}

/** How it went. */
export interface ChurnOutcome {
  /** Agents that have not stopped, or say that it was for what did not happen to them. */
  readonly untrue: readonly Agent[];
  /** Gives the processes that are left of them. */
  pids(this: void): Promise<number[]>;
}

/**
 * Starts agents and ends each in one of several ways, in any phase of its life, while faults happen to what runs them.
 * Resolves when all have stopped.
 */
export async function churn({ agents, ends, faults }: Churn): Promise<ChurnOutcome> {
  const queue = draw(record({ lifeMs: nat(LONGEST_LIFE_MS), end: nat(ends.length) }));
  const lives: Life[] = [];
  const over = new AbortController();
  const harm = happen(faults, lives, over.signal);
  const live = async () => {
    for (let fate = queue.pop(); fate; fate = queue.pop()) {
      const life = { agent: await agents.start(), reasons: new Set<string>(), isOver: false };
      lives.push(life);
      await pause(fate.lifeMs, over.signal);
      const reasons = (await ends[fate.end]?.(life.agent)) ?? [];
      for (const reason of reasons) life.reasons.add(reason);
      await settle(agents, life, reasons.length > 0);
      life.isOver = true;
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, live));
  } finally {
    over.abort();
    await harm;
  }
  const variables = new Set(lives.map(({ agent: { id } }) => `AGENT_ID=${id}`));
  const found = lives.map(async ({ agent: { id }, reasons }) => {
    const agent = await agents.find(id);
    return agent.status === 'Stopped' && reasons.has(agent.reason ?? '') ? [] : [agent];
  });
  return { untrue: (await Promise.all(found)).flat(), pids: () => pidsWith(variables) };
}

/** Waits until it has stopped; asks for that unless it is to happen, or when it does not. */
async function settle(
  agents: TestAgents,
  { agent: { id }, reasons }: Life,
  isEnding: boolean,
): Promise<void> {
  if (isEnding && (await hasStopped(agents, id))) return;
  reasons.add('requested');
  await agents.stop(id);
  if (!(await hasStopped(agents, id))) throw new Error(JSON.stringify(await agents.find(id)));
}

async function hasStopped(agents: TestAgents, id: string): Promise<boolean> {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    if ((await agents.find(id)).status === 'Stopped') return true;
    await pause(100, new AbortController().signal);
  }
  return false;
}

async function happen(
  faults: readonly Fault[],
  lives: readonly Life[],
  over: AbortSignal,
): Promise<void> {
  const [shortest, longest] = FAULT_EVERY_MS;
  const arbitrary = record({
    afterMs: integer({ min: shortest, max: longest }),
    fault: nat(faults.length - 1),
  });
  for (const [index, { afterMs, fault }] of draw(arbitrary).entries()) {
    if (!(await pause(afterMs, over))) return;
    // In each run, the shortest too, the first of them happens to agents that are there.
    if (index === 0) await someBegun(lives, over);
    const before = lives.filter(({ isOver }) => !isOver);
    const reason = await faults[index === 0 ? 0 : fault]?.();
    // Those that began meanwhile, too.
    const present = [...before, ...lives.filter(({ isOver }) => !isOver)];
    if (reason) for (const { reasons } of present) reasons.add(reason);
  }
}

/** Resolves when processes of agents run. */
async function someBegun(lives: readonly Life[], over: AbortSignal): Promise<void> {
  const variables = () => new Set(lives.map(({ agent: { id } }) => `AGENT_ID=${id}`));
  while ((await pidsWith(variables())).length < 2 && (await pause(50, over))) {
    // Not yet.
  }
}

function draw<T>(arbitrary: Arbitrary<T>): T[] {
  return sample(arbitrary, { numRuns: COUNT, seed: SEED });
}
