import {
  type CallOptions,
  type CreateOptions,
  creating,
  ending,
  path,
  reading,
} from '../http/call.ts';
import { type ListOptions, listOf } from '../http/list.ts';
import { pause } from '../http/pause.ts';
import type { Transport } from '../http/transport.ts';
import type {
  Agent,
  AgentLog,
  AgentPreflight,
  AgentTimeline,
  NewAgent,
  StartedAgent,
} from '../shapes.ts';

export interface ReadLogOptions extends CallOptions {
  readonly follow?: false;
  readonly tail?: number | undefined;
  /** Starts with the lines after this time. */
  readonly since?: string | undefined;
}

/** Thrown when an agent stops instead of running. `message` gives the reason. */
export class AgentStopped extends Error {
  override readonly name = 'AgentStopped';
  // Declared only: the constructor assigns all of them at once.
  declare readonly agent: Agent;
  declare readonly reason: string | null;
  declare readonly detail: string | null;

  constructor(agent: Agent) {
    const { role, reason, detail } = agent;
    super(`the agent ${role} stopped: ${[reason, detail].filter(Boolean).join(': ')}`);
    Object.assign(this, { agent, reason, detail });
  }
}

/** Returns whether `error` is an AgentStopped, even one from another copy of this package. */
export function isAgentStopped(error: unknown): error is AgentStopped {
  return error instanceof Error && error.name === 'AgentStopped';
}

const FIRST_LOOK_MS = 250;
const MAX_LOOK_MS = 2000;

export function agentsOf(transport: Transport) {
  const get = (id: string, options?: CallOptions) =>
    transport.json<Agent>(reading(path`/agents/${id}`, options));

  return {
    /**
     * Starts an agent, which is `Starting` at first. Only external agents get `connect`. Throws `agent_already_running`,
     * `agent_capacity`, …
     */
    start: (sessionId: string, body: NewAgent, options?: CreateOptions) =>
      transport.json<StartedAgent>(creating(path`/sessions/${sessionId}/agents`, body, options)),
    /** Returns everything that would prevent an agent from starting, without starting one. */
    check: async (sessionId: string, body: NewAgent, options?: CallOptions) => {
      const { problems } = await transport.json<AgentPreflight>({
        ...reading(path`/sessions/${sessionId}/agents`, options),
        method: 'POST',
        body,
        query: { dryRun: true },
      });
      return problems;
    },
    /** Returns a session's agents, the newest first. */
    list: (sessionId: string, options?: ListOptions) =>
      listOf<Agent>(transport, path`/sessions/${sessionId}/agents`, options),
    get,
    /** Stops an agent. It is `Stopped` once its program has ended. */
    stop: (id: string, options?: CallOptions) =>
      transport.json<Agent>(ending(path`/agents/${id}`, options)),
    /** Waits until an agent is `Running`, and returns it. Throws AgentStopped when the agent stops instead. */
    untilRunning: async (id: string, options: CallOptions = {}) => {
      for (let waitMs = FIRST_LOOK_MS; ; waitMs = Math.min(waitMs * 1.5, MAX_LOOK_MS)) {
        const agent = await get(id, options);
        if (agent.status === 'Running') return agent;
        if (agent.status === 'Stopped') throw new AgentStopped(agent);
        await pause(waitMs, options.signal);
      }
    },
    logs: (id: string, { signal, tail, since }: ReadLogOptions = {}) =>
      transport.json<AgentLog>({
        ...reading(path`/agents/${id}/logs`, { signal }),
        query: { tail, since },
      }),
    /** Returns what has happened to an agent, the oldest event first. */
    timeline: (id: string, options?: CallOptions) =>
      transport.json<AgentTimeline>(reading(path`/agents/${id}/timeline`, options)),
  };
}
