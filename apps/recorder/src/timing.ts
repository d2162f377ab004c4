/** Every interval and time limit of the recorder, in milliseconds. Tests run with a fraction of them. */
export interface Timing {
  /** How often the database is asked for work, even if no notification announces any. */
  readonly pollMs: number;
  /** While rooms are short, a join makes a recorder look for work at once, and then after this pause at the earliest. */
  readonly joinRestMs: number;
  /**
   * How often a recorder sends a heartbeat: it is alive, and everything received before `flushedAt` is stored. The shorter,
   * the more accurate are the bounds of a gap.
   */
  readonly heartbeatMs: number;
  /** After a database failure, no other recorder is declared dead for this long. */
  readonly graceMs: number;
  /** The waits before each attempt to reconnect. */
  readonly retryDelaysMs: readonly number[];
  /** How long one attempt to connect may take. */
  readonly connectMs: number;
  /** How long a fresh connection waits for the last events of the connection that it replaces. */
  readonly handOverMs: number;
  /** How often the server is asked whether it still has the rooms that are recorded from. */
  readonly roomCheckMs: number;
  /** How often the server is asked whether participants are in another room of the session's name. */
  readonly splitCheckMs: number;
  /** How long a participant whom the server lists may be missing in the room: the server announces it up to 3 s late. */
  readonly absentMs: number;
  /** How soon a connection that seems to be back must have proved that it receives. */
  readonly proofMs: number;
  /** After a connection that lasted this long, attempts to reconnect are counted from zero again. */
  readonly healthyMs: number;
  /** How late the SDK may notice that a connection is dead. */
  readonly silenceMs: number;
  /** A process that stood still for this long may have lost events: the server drops clients that are silent. */
  readonly stallMs: number;
  /** How long the sender of an event is looked up: the server announces a participant up to 3 s late. */
  readonly senderMs: number;
  /** How long an interim transcript waits for a newer or the final one, before it is stored as pending. */
  readonly interimMs: number;
  /** How often at least an open text is stored as far as it is received: a kill loses no more of it. */
  readonly checkpointMs: number;
  /**
   * How long words that are in memory only hold back `flushedAt`, and so the recorders of all sessions. After that time the
   * interval of their own session is marked instead.
   */
  readonly holdBackMs: number;
  /** How long after its first message a flood is reported: the longer, the fewer reports. */
  readonly floodMs: number;
  /** How long an uncertain leave may turn out to be none. */
  readonly falseLeaveMs: number;
  /** How long a leave that a webhook reports waits for the room's own events: recorders see a leave up to 3 s late. */
  readonly webhookLeaveMs: number;
  /** The longest pause from the end of a flush to the next one, in which messages wait for others. */
  readonly flushMs: number;
  /** How long the database may take to answer before the messages go to the spool: a kill loses no more than this. */
  readonly spoolMs: number;
  /**
   * How long a message that alone cannot be stored is tried again, for an error of unknown cause, while later messages of its
   * session could be stored. Then it is refused.
   */
  readonly refuseMs: number;
  /** How long a new recorder holds back events at most, so that they do not overtake older messages of the leader. */
  readonly overtakeMs: number;
  /** The room of a closed session is left when nothing has happened in it for this long. */
  readonly quietMs: number;
  /** The room of a closed session is left after this time, whatever happens in it. */
  readonly closeMs: number;
  /** At the end of the process: how long handing over and open text streams may take. */
  readonly drainMs: number;
  /** At the end of the process, after `drainMs`: how long the database may take. */
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

/** How far the clocks of two recorders may differ. */
export const CLOCK_SKEW_MS = 1000;
