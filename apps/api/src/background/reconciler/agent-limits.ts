/** The limits of an agent. They are arguments, so that tests need not wait. */
export interface AgentLimits {
  /** From the request of an agent, or from when this process began to lead, until the agent is ready in its room. */
  readonly startTimeoutMs: number;
  /** How long an agent may run, counted from the creation of its first workload, whichever processes have led since. */
  readonly maxDurationMs: number;
  /** How long a program gets to end when it is asked to stop. */
  readonly graceSeconds: number;
  /** How long the end of an agent may wait for the rest of its log. */
  readonly logTimeoutMs: number;
  /** How long an active participant may take to announce itself. */
  readonly announceTimeoutMs: number;
  /** The delays before an agent is started again; as many restarts are allowed within ten minutes. */
  readonly restartDelaysMs: readonly number[];
}
