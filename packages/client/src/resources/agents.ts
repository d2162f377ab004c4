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
import type { Agent, AgentLog, AgentPreflight, AgentTimeline, NewAgent } from '../shapes.ts';
import { type AgentLogEvent, type FollowLogOptions, followLog } from './agent-log.ts';

export interface ReadLogOptions extends CallOptions {
  readonly follow?: false;
  /** Returns only this many of the last lines. */
  readonly tail?: number | undefined;
  /** Starts with the lines after this time. */
  readonly since?: string | undefined;
}

/** An agent stopped instead of running. `message` says why. */
export class AgentStopped extends Error {
  override readonly name = 'AgentStopped';
  readonly agent: Agent;
  readonly reason: string | null;
  readonly detail: string | null;

  constructor(agent: Agent) {
    const { role, reason, detail } = agent;
    super(`the agent ${role} stopped: ${[reason, detail].filter(Boolean).join(': ')}`);
    this.agent = agent;
    this.reason = reason;
    this.detail = detail;
  }
}

/** Whether `error` is an AgentStopped. */
export function isAgentStopped(error: unknown): error is AgentStopped {
  return error instanceof Error && error.name === 'AgentStopped';
}

const FIRST_LOOK_MS = 250;
const MAX_LOOK_MS = 2000;

/** Agents in a session. */
export function agentsOf(transport: Transport) {
  const get = (id: string, options?: CallOptions) =>
    transport.json<Agent>({ ...reading(options), path: path`/agents/${id}` });

  /** Yields the lines of the log as they are written, until the agent has stopped. */
  function logs(id: string, options: FollowLogOptions): AsyncGenerator<AgentLogEvent, void>;
  /** Returns the lines that the log has now. */
  function logs(id: string, options?: ReadLogOptions): Promise<AgentLog>;
  function logs(id: string, options: FollowLogOptions | ReadLogOptions = {}) {
    if (options.follow) return followLog(transport, id, options);
    const { signal, tail, since } = options;
    const call = { ...reading({ signal }), path: path`/agents/${id}/logs`, query: { tail, since } };
    return transport.json<AgentLog>(call);
  }

  return {
    /** Starts an agent, which is `Starting` at first. Throws `agent_already_running`, `agent_capacity`, … */
    start: (sessionId: string, body: NewAgent, options?: CreateOptions) => {
      const call = { ...creating(options), path: path`/sessions/${sessionId}/agents`, body };
      return transport.json<Agent>(call);
    },
    /** Returns everything that would prevent an agent from starting. It starts none. */
    check: async (sessionId: string, body: NewAgent, { signal }: CallOptions = {}) => {
      const dry = { method: 'POST', retry: 'always', query: { dryRun: true }, signal } as const;
      const call = { ...dry, path: path`/sessions/${sessionId}/agents`, body };
      const { problems } = await transport.json<AgentPreflight>(call);
      return problems;
    },
    /** Returns a session's agents, the newest first. */
    list: (sessionId: string, options?: ListOptions) =>
      listOf<Agent>(transport, path`/sessions/${sessionId}/agents`, options),
    get,
    /** Stops an agent. It is `Stopped` when its program has ended. */
    stop: (id: string, options?: CallOptions) =>
      transport.json<Agent>({ ...ending(options), path: path`/agents/${id}` }),
    /** Waits until an agent is `Running`, and returns it. Throws AgentStopped when the agent stops instead. */
    untilRunning: async (id: string, options: CallOptions = {}) => {
      for (let waitMs = FIRST_LOOK_MS; ; waitMs = Math.min(waitMs * 1.5, MAX_LOOK_MS)) {
        const agent = await get(id, options);
        if (agent.status === 'Running') return agent;
        if (agent.status === 'Stopped') throw new AgentStopped(agent);
        await pause(waitMs, options.signal);
      }
    },
    logs,
    /** Returns what happened to an agent, in that order. */
    timeline: (id: string, options?: CallOptions) =>
      transport.json<AgentTimeline>({ ...reading(options), path: path`/agents/${id}/timeline` }),
  };
}
