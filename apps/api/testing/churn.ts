import type { StopReason } from '@session/agents';
import type { Agent } from '@session/contract';
import { hasCode, pause } from '@session/kit';
import { type Arbitrary, integer, nat, record, sample } from 'fast-check';
import { pidsWith } from './agent-processes.ts';
import type { TestAgents } from './agents.ts';

/** The number of agents, and the seed of the run: `CHURN_AGENTS=200 CHURN_SEED=7 npm test -- churn`. */
const COUNT = Number(process.env['CHURN_AGENTS'] ?? 8);
const SEED = Number(process.env['CHURN_SEED'] ?? 1);
export const CHURN_TIMEOUT_MS = 180_000 + COUNT * 5000;

const CONCURRENCY = 8;
const MAX_LIFETIME_MS = 4000;
const FAULT_EVERY_MS = [500, 5000] as const;
/** An agent's end may be noticed this late, because a leader that was killed is replaced after 15 s. */
const STOP_TIMEOUT_MS = 40_000;

/** Ends one agent. Returns the possible reasons of its end, or none when there was nothing to end. */
export type End = (agent: Agent) => Promise<readonly StopReason[]>;
type Fault = () => Promise<StopReason | undefined>;

export function stopping(agents: TestAgents): End {
  return async ({ id }) => {
    await agents.stop(id);
    return ['requested'];
  };
}

export function closing({ api, ana }: TestAgents): End {
  return async ({ sessionId }) => {
    await api.inject(ana, { method: 'POST', url: `/sessions/${sessionId}/close` });
    return ['session_closed'];
  };
}

export async function killing({ id }: Agent): Promise<readonly StopReason[]> {
  const pids = await pidsWith(new Set([`AGENT_ID=${id}`]));
  return pids.filter(kill).length > 0 ? ['crashed'] : [];
}

function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    // The process has just ended by itself.
    if (hasCode(error, 'ESRCH')) return false;
    throw error;
  }
}

export interface Churn {
  readonly agents: TestAgents;
  readonly ends: readonly End[];
  readonly faults: readonly Fault[];
}

interface Life {
  readonly agent: Agent;
  readonly reasons: Set<string>;
  isOver: boolean;
}

export interface ChurnOutcome {
  /** Agents that have not stopped, or whose reason is none of those that happened to them. */
  readonly untrue: readonly Agent[];
  pids(this: void): Promise<number[]>;
}

/**
 * Starts agents and ends each in one of several ways, at any moment of its life, while faults happen to the APIs and
 * launchers that run them. Resolves when all agents have stopped.
 */
export async function churn({ agents, ends, faults }: Churn): Promise<ChurnOutcome> {
  const queue = draw(record({ lifeMs: nat(MAX_LIFETIME_MS), end: nat(ends.length) }));
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
    await Promise.all(Array.from({ length: CONCURRENCY }, live));
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

/** Waits until the agent has stopped. Asks it to stop if nothing ended it, or if its end does not come. */
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
  const deadline = performance.now() + STOP_TIMEOUT_MS;
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
    // In each run, even the shortest, the first fault hits agents that run.
    if (index === 0) await untilSomeRun(lives, over);
    const before = lives.filter(({ isOver }) => !isOver);
    const reason = await faults[index === 0 ? 0 : fault]?.();
    // Agents that were started during the fault, too.
    const present = [...before, ...lives.filter(({ isOver }) => !isOver)];
    if (reason) for (const { reasons } of present) reasons.add(reason);
  }
}

async function untilSomeRun(lives: readonly Life[], over: AbortSignal): Promise<void> {
  const variables = () => new Set(lives.map(({ agent: { id } }) => `AGENT_ID=${id}`));
  while ((await pidsWith(variables())).length < 2 && (await pause(50, over))) {
    // Not yet.
  }
}

function draw<T>(arbitrary: Arbitrary<T>): T[] {
  return sample(arbitrary, { numRuns: COUNT, seed: SEED });
}
