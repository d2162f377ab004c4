/**
 * `startTimeoutMs` begins with the request of an agent, or when this process began to lead, and ends when the agent is ready in
 * its room. `maxDurationMs` begins with the creation of the agent's first workload, whichever processes have led since. The end
 * of an agent waits for the rest of its log for `logTimeoutMs` at most. `restartDelaysMs` are the delays before an agent is
 * started again: as many restarts are allowed within ten minutes.
 */
export interface AgentLimits {
  readonly startTimeoutMs: number;
  readonly maxDurationMs: number;
  readonly graceSeconds: number;
  readonly logTimeoutMs: number;
  readonly announceTimeoutMs: number;
  readonly restartDelaysMs: readonly number[];
}
