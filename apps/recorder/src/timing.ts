/** All in milliseconds. Tests run with a fraction of these times. */
export interface Timing {
  readonly pollMs: number;
  readonly joinRestMs: number;
  readonly heartbeatMs: number;
  readonly graceMs: number;
  readonly retryDelaysMs: readonly number[];
  readonly connectMs: number;
  readonly handOverMs: number;
  readonly roomCheckMs: number;
  readonly splitCheckMs: number;
  readonly absentMs: number;
  readonly proofMs: number;
  readonly healthyMs: number;
  readonly silenceMs: number;
  /** After a standstill this long, events may be lost, because the server drops silent clients. */
  readonly stallMs: number;
  readonly senderMs: number;
  readonly interimMs: number;
  /** How often an open text is stored: a kill loses no more than this. */
  readonly checkpointMs: number;
  readonly holdBackMs: number;
  readonly floodMs: number;
  readonly falseLeaveMs: number;
  readonly webhookLeaveMs: number;
  readonly flushMs: number;
  readonly flushTimeoutMs: number;
  /** How long an answer may take before messages go to the spool. A kill loses no more than this time and `flushMs`. */
  readonly spoolMs: number;
  /** A message that fails alone, for an unknown reason, is retried for this long before it is refused. */
  readonly refuseMs: number;
  /** How long at most a new recorder holds back events, to let older messages of the leader go first. */
  readonly overtakeMs: number;
  readonly quietMs: number;
  readonly closeMs: number;
  readonly drainMs: number;
  readonly lastFlushMs: number;
}

export const TIMING: Timing = {
  pollMs: 2000,
  joinRestMs: 250,
  heartbeatMs: 500,
  graceMs: 3000,
  retryDelaysMs: [500, 1000, 2000, 4000, 8000],
  connectMs: 10_000,
  handOverMs: 1000,
  roomCheckMs: 5000,
  splitCheckMs: 5000,
  absentMs: 5000,
  proofMs: 1000,
  healthyMs: 60_000,
  silenceMs: 15_000,
  stallMs: 10_000,
  senderMs: 3500,
  interimMs: 30_000,
  checkpointMs: 10_000,
  holdBackMs: 1000,
  floodMs: 10_000,
  falseLeaveMs: 10_000,
  webhookLeaveMs: 5000,
  flushMs: 50,
  flushTimeoutMs: 10_000,
  spoolMs: 100,
  refuseMs: 600_000,
  overtakeMs: 5000,
  quietMs: 1000,
  closeMs: 5000,
  drainMs: 16_000,
  lastFlushMs: 5000,
};

export const CLOCK_SKEW_MS = 1000;
