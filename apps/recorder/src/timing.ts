/** Every interval of the recorder, in milliseconds. Tests run at a fraction of them. */
export interface Timing {
  /** How often the database is asked for work, also while nothing tells of any. */
  readonly pollMs: number;
  /** How often a recorder says that it lives, and until when all is stored: a gap's bounds are as true as this is short. */
  readonly heartbeatMs: number;
  /** For so long after a failure of the database the silence of other recorders says nothing. */
  readonly graceMs: number;
  /** The waits before each attempt to reconnect. */
  readonly retryDelaysMs: readonly number[];
  /** How long one attempt may take. */
  readonly connectMs: number;
  /** How long a fresh connection waits for the last words of the one that it replaces. */
  readonly handOverMs: number;
  /** So soon a connection that seems to be back must have proved that it hears. */
  readonly proofMs: number;
  /** After so long a connection the attempts are counted anew. */
  readonly healthyMs: number;
  /** The SDK may notice a dead connection this late. */
  readonly silenceMs: number;
  /** Whoever does nothing for so long may have lost what came: the server drops those who are silent. */
  readonly stallMs: number;
  /** How long an unknown sender is looked for: the server announces a participant up to 3 s late. */
  readonly senderMs: number;
  /** How long the newest version of an unfinished utterance waits for its final one. */
  readonly interimMs: number;
  /** How long a leave may turn out to be none. */
  readonly falseLeaveMs: number;
  /** How long a leave that the server tells waits for what recorders hear of it: they learn of it up to 3 s late. */
  readonly toldLeaveMs: number;
  /** How long a message may wait for others to be stored with it. */
  readonly flushMs: number;
  /** How long the database may take to answer until the message goes to the disk. */
  readonly spoolMs: number;
  /** How long what is heard waits for what another recorder has heard before, so that it does not overtake it. */
  readonly overtakeMs: number;
  /** A closed session is left when nothing has happened for so long, */
  readonly quietMs: number;
  /** or after this. */
  readonly closeMs: number;
  /** At the end of the process: how long open text streams may take, */
  readonly drainMs: number;
  /** and then how long the database may. */
  readonly lastFlushMs: number;
}

export const TIMING: Timing = {
  pollMs: 2000,
  heartbeatMs: 500,
  graceMs: 3000,
  retryDelaysMs: [500, 1000, 2000, 4000, 8000],
  connectMs: 10_000,
  handOverMs: 1000,
  proofMs: 1000,
  healthyMs: 60_000,
  silenceMs: 15_000,
  stallMs: 10_000,
  senderMs: 3500,
  interimMs: 30_000,
  falseLeaveMs: 10_000,
  toldLeaveMs: 5000,
  flushMs: 50,
  spoolMs: 1000,
  overtakeMs: 5000,
  quietMs: 1000,
  closeMs: 5000,
  drainMs: 16_000,
  lastFlushMs: 5000,
};
