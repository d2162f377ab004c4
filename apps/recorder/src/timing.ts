/** Every interval and time limit of the recorder, in milliseconds. Tests run with a fraction of them. */
export interface Timing {
  readonly pollMs: number;
  /** While rooms are short, a join makes a recorder look for work at once, and then after this pause at the earliest. */
  readonly joinRestMs: number;
  /** The shorter, the more accurate are the bounds of a gap. */
  readonly heartbeatMs: number;
  /** After a database failure, no other recorder is declared dead for this long. */
  readonly graceMs: number;
  readonly retryDelaysMs: readonly number[];
  readonly connectMs: number;
  readonly handOverMs: number;
  readonly roomCheckMs: number;
  readonly splitCheckMs: number;
  /**
   * The server announces participants up to 3 s late, so they may be missing in the room for this long. `senderMs` has the same
   * reason.
   */
  readonly absentMs: number;
  readonly proofMs: number;
  readonly healthyMs: number;
  /** How late the SDK may notice that a connection is dead. */
  readonly silenceMs: number;
  /** A process that stood still for this long may have lost events: the server drops clients that are silent. */
  readonly stallMs: number;
  readonly senderMs: number;
  readonly interimMs: number;
  /** An open text is stored at least this often, as far as it is received: a kill loses no more of it. */
  readonly checkpointMs: number;
  /**
   * How long words that are in memory only hold back `flushedAt`, and so the recorders of all sessions. After that time the
   * interval of their own session is marked instead.
   */
  readonly holdBackMs: number;
  readonly floodMs: number;
  readonly falseLeaveMs: number;
  /** How long a leave that a webhook reports waits for the room's own events: recorders see a leave up to 3 s late. */
  readonly webhookLeaveMs: number;
  readonly flushMs: number;
  /** How long the database may take to answer before the messages go to the spool: a kill loses no more than this. */
  readonly spoolMs: number;
  /**
   * How long a message that alone fails, for an unknown reason, is retried while later messages of its session could be stored.
   * Then it is refused.
   */
  readonly refuseMs: number;
  /** How long a new recorder holds back events at most, so that they do not overtake older messages of the leader. */
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
  spoolMs: 100,
  refuseMs: 600_000,
  overtakeMs: 5000,
  quietMs: 1000,
  closeMs: 5000,
  drainMs: 16_000,
  lastFlushMs: 5000,
};

export const CLOCK_SKEW_MS = 1000;
