import type { AgentLauncher } from '@session/agents';
import type { DatabaseAccess } from '@session/db';
import type { MediaServer, RoomService } from '@session/media/server';
import type { Traces } from '@session/traces';
import type { Config } from '../../config.ts';
import type { Vault } from '../../features/env-templates/vault.ts';
import type { Log } from '../../http/log-stream.ts';
import type { Metrics } from '../../http/metrics/metrics.ts';

/**
 * `startTimeoutMs` begins with the request of an agent, with the end of its former workload, or when this process began
 * to lead. It ends when the agent is ready in its room. `maxDurationMs` begins with the creation of the agent's first
 * workload, whichever processes have led since. The end of an agent waits up to `logTimeoutMs` for the rest of its log.
 * `announceTimeoutMs`: see `agent-presence.ts`. `restartDelaysMs` has one delay for each restart that is allowed within
 * ten minutes. The room of an external agent is checked every `externalPollMs`. For the other two times of an external
 * agent see `external-agent.ts`.
 */
export interface AgentLimits {
  readonly startTimeoutMs: number;
  readonly maxDurationMs: number;
  readonly graceSeconds: number;
  readonly logTimeoutMs: number;
  readonly announceTimeoutMs: number;
  readonly restartDelaysMs: readonly number[];
  readonly externalPollMs: number;
  readonly externalGraceMs: number;
  readonly externalWaitMs: number;
}

/** `ledSince`: since when this process has led, by `performance.now()`. */
export interface SupervisionDeps {
  readonly database: DatabaseAccess;
  readonly launcher: AgentLauncher;
  readonly limits: AgentLimits;
  readonly agents: Omit<Config['agents'], 'launcher'>;
  readonly media: MediaServer;
  readonly rooms: RoomService;
  readonly vault: Vault;
  readonly flushMs: number;
  readonly retryMs: number;
  readonly metrics: Metrics;
  readonly traces: Traces | undefined;
  readonly ledSince: () => number;
  readonly log: Log;
}
