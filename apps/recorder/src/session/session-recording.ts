import type { PresenceEvent, RoomMessage } from '@session/contract/room';
import type { ListedSlotRow, MessageQueries, NewMessageRow, SlotKey, SlotRow } from '@session/db';
import { pause } from '@session/kit';
import type { RoomService } from '@session/media';
import type { Logger } from 'pino';
import type { ConnectionState } from '../room/connection-state.ts';
import { RoomConnection } from '../room/room-connection.ts';
import type { Heard, RoomLink } from '../room/room-link.ts';
import { SessionIntake } from './session-events.ts';
import type { SkipCounts } from './skip-counts.ts';
import { UnnamedMessages } from './leadership.ts';
import type { Timing } from '../timing.ts';
import { SlotReport, type SlotReportQueries } from '../slots/slot-report.ts';

const LOOK_MS = 10;
/** As far as the clocks of two recorders may be apart. */
const SKEW_MS = 1000;

export interface RecordingDeps {
  readonly recorderId: string;
  readonly queries: SlotReportQueries & Pick<MessageQueries, 'listMessagesWithoutId'>;
  /** Joins the room of a session under that identity; throws when that fails. */
  connect(room: string, identity: string): Promise<RoomLink>;
  /** Runs `work` when it is its turn: few connect at a time. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  readonly rooms: Pick<RoomService, 'listParticipants' | 'sendPacketTo'>;
  readonly flush: {
    push(message: RoomMessage & Pick<NewMessageRow, 'intervalId'>): void;
    stored(sessionId: string, signal: AbortSignal): Promise<void>;
  };
  readonly skipped: SkipCounts;
  readonly log: Logger;
  readonly timing: Timing;
  /** Looks after the sessions of this recorder, and resolves when that is done. */
  verify(): Promise<void>;
  /** Something about a slot is to be written. */
  changed(): void;
}

/**
 * How to end: when nothing was heard for `quietMs` and no text is open, or after `patienceMs`, or when `hurry` aborts. Where
 * another has heard the session since `heardSince` (milliseconds since the epoch), texts that began later are its own.
 */
export interface Ending {
  readonly reason: string;
  readonly heardSince?: number | undefined;
  readonly quietMs: number;
  readonly patienceMs: number;
  readonly hurry: AbortSignal;
}

/** The recording of one session by this process: its connection, what becomes of its events, and what is told of it. */
export class SessionRecording {
  readonly #deps: RecordingDeps;
  readonly #report: SlotReport;
  readonly #intake: SessionIntake;
  readonly #unnamed: UnnamedMessages;
  readonly #connection: RoomConnection;
  #connectedAt: string | null = null;
  /** Until it aborts, or for too long, what is heard waits: it must not overtake what others have heard before. */
  #following = new AbortController();
  /** Until when it was heard before, if the connection is gone only for now. */
  #heardUntil: number | undefined;
  /** Our first connection: when it heard, and since when it did by the server's clock. Milliseconds since the epoch. */
  #first: { readonly at: number; readonly byServer: number | null } | undefined;

  constructor(deps: RecordingDeps, { sessionId, slot, epoch }: SlotRow) {
    const { recorderId, timing, skipped, flush } = deps;
    this.#deps = deps;
    this.#report = new SlotReport(deps.queries, { sessionId, slot, recorderId, epoch });
    this.#unnamed = new UnnamedMessages({
      store: (message) => flush.push(message),
      dropped: (from, to) => {
        this.#report.cutInterval(from, to, 'storage_full');
        deps.changed();
      },
    });
    this.#intake = new SessionIntake({
      sessionId,
      listParticipants: () => deps.rooms.listParticipants(sessionId),
      push: (message) => {
        if (message.metadata.rawId === null) this.#unnamed.push(message);
        else flush.push(message);
      },
      skipped,
      log: deps.log,
      timing,
    });
    this.#connection = new RoomConnection(
      {
        connect: (suffix) => deps.connect(sessionId, `recorder-${recorderId}${suffix}`),
        sendTo: (identity, packet) => deps.rooms.sendPacketTo(sessionId, identity, packet),
        inTurn: (work) => deps.inTurn(work),
        verify: () => deps.verify(),
        log: deps.log.child({ sessionId }),
        timing,
      },
      {
        changed: () => this.#changed(),
        connected: (link, isFresh) => this.#connected(link, isFresh),
        interrupted: (link) => this.#interrupted(link),
        event: (heard) => this.#heard(heard),
      },
    );
  }

  get key(): SlotKey {
    return this.#report.key;
  }

  get state(): ConnectionState {
    return this.#connection.state;
  }

  get attempts(): number {
    return this.#connection.attempts;
  }

  get failure(): string | null {
    return this.#connection.failure;
  }

  /** Milliseconds since the epoch: when the oldest event was received that waits for its sender. */
  get oldestAt(): number | undefined {
    return this.#intake.oldestAt;
  }

  /** Milliseconds since the epoch: when the oldest message was received that is kept for another recorder to store. */
  get standbyAt(): number | undefined {
    return this.#unnamed.oldestAt;
  }

  /** Whether what is heard waits for what another recorder has heard before. */
  get isFollowing(): boolean {
    return this.state === 'recording' && !this.#following.signal.aborted;
  }

  /** Compares with what the database says of the slot, which is ours. Throws when that is away. */
  async compare(slot: ListedSlotRow): Promise<void> {
    const { epoch, intervalId } = slot;
    if (epoch !== this.key.epoch) {
      this.#report.renew(epoch);
      this.#changed();
    }
    // Others have taken us for dead, and have told so: what was heard since then is in the history all the same.
    if (intervalId === null && this.#report.isIntervalWritten) {
      this.#unnamed.standBy();
      this.#report.beginInterval(Date.now());
      this.#deps.changed();
    }
    if (intervalId === null || intervalId !== this.#report.intervalId) return;
    await this.#takePlace(intervalId, slot);
  }

  /** From `from` to `to` (milliseconds since the epoch) nothing was heard after all. */
  cut(from: number, to: number, reason: string): void {
    this.#report.cutInterval(from, to, reason);
  }

  /**
   * Tells the database what it does not know yet, and gives whether that changes what was heard when. Throws when it is
   * away.
   */
  async write(): Promise<boolean> {
    return await this.#report.write();
  }

  /** Ends it for good, and resolves when all that was heard is stored, or when `hurry` aborts. Must not be called twice. */
  async end(ending: Ending): Promise<void> {
    const { reason, patienceMs, hurry } = ending;
    this.#connection.retire();
    const began = Date.now();
    const deadline = performance.now() + patienceMs;
    while (!this.#isCalm(began, ending) && performance.now() < deadline && !hurry.aborted) {
      await pause(LOOK_MS, hurry);
    }
    const isSound = this.#connection.link?.state === 'up';
    const endedAt = Date.now();
    await this.#connection.close();
    await this.#intake.end(isSound);
    const standbyAt = this.#unnamed.end();
    await this.#deps.flush.stored(this.key.sessionId, hurry);
    // What was to be another's is heard if that other lives: its own interval says so.
    if (standbyAt !== undefined) this.#report.cutInterval(standbyAt, endedAt, reason);
    // Not before all is stored: whoever is the first from now on looks for what is not.
    this.#report.endInterval(endedAt, reason);
  }

  /** Stands by for the first recorder of the session, which has stored all before `firstFlushedAt`, or is it itself. */
  async #takePlace(intervalId: string, slot: ListedSlotRow): Promise<void> {
    const connectedAt = Date.parse(this.#connectedAt ?? '');
    const firstFlushedAt = slot.firstFlushedAt === null ? null : Date.parse(slot.firstFlushedAt);
    if (firstFlushedAt !== null) {
      // Who has become the first just now keeps what is still to be stored, and may die before that is done.
      const { firstStandbyAt } = slot;
      const keptSince = firstStandbyAt === null ? firstFlushedAt : Date.parse(firstStandbyAt);
      this.#unnamed.follow(Math.min(firstFlushedAt, keptSince));
    }
    if (!this.#following.signal.aborted) {
      if (firstFlushedAt !== null && firstFlushedAt < connectedAt + SKEW_MS) return;
      this.#following.abort();
      // What was held back comes now; it is for the next round to look who has stored it.
      this.#deps.changed();
    } else if (firstFlushedAt === null) {
      const { queries } = this.#deps;
      const { sessionId } = this.key;
      await this.#unnamed.lead(intervalId, (after) =>
        queries.listMessagesWithoutId(sessionId, after),
      );
    }
  }

  /** Whether nobody would be cut short now, or nothing is heard anyway. */
  #isCalm(began: number, { quietMs, heardSince }: Ending): boolean {
    const { link } = this.#connection;
    if (this.state !== 'recording' || !link) return true;
    const quietSince = Math.max(began, link.lastEventAt);
    const before = heardSince === undefined ? undefined : heardSince + SKEW_MS;
    return !link.hasOpenTexts(before) && Date.now() - quietSince >= quietMs;
  }

  #connected(link: RoomLink, isFresh: boolean): void {
    const now = Date.now();
    const isSeamless = !isFresh && link.isLossless;
    const from = isSeamless ? (this.#heardUntil ?? now) : now;
    this.#report.beginInterval(from);
    if (!this.#first) {
      this.#first = { at: from, byServer: link.hearsSince };
      const [earliest] = link.roster();
      if (earliest) this.#seeJoin(earliest);
    }
    this.#connectedAt = new Date(now).toISOString();
    if (!isSeamless) {
      this.#following.abort();
      this.#following = new AbortController();
      this.#intake.holdBack(this.#following.signal);
    }
    this.#intake.connected(link);
    this.#changed();
  }

  #heard(heard: Heard): void {
    // The server announces a participant up to 3 s late.
    if (heard.event.type === 'participant_joined') this.#seeJoin(heard.event);
    this.#intake.receive(heard);
  }

  /** Whoever came before we heard, by the server's clock, was not heard until then. */
  #seeJoin({ joinedAt }: PresenceEvent): void {
    const first = this.#first;
    if (!first?.byServer || !joinedAt || joinedAt >= first.byServer) return;
    this.#report.beginUnheard(Math.min(joinedAt, first.at), first.at);
    this.#deps.changed();
  }

  #interrupted(link: RoomLink): void {
    const now = Date.now();
    this.#intake.interrupted();
    // The SDK notices silence late; of an end that the server has told us of there is no doubt.
    const heardUntil =
      link.state === 'gone' ? now : Math.max(link.lastEventAt, now - this.#deps.timing.silenceMs);
    this.#unnamed.standBy();
    // What is kept for another is heard if that other lives: its own interval says so.
    const soundUntil = Math.min(heardUntil, this.#unnamed.oldestAt ?? heardUntil);
    this.#heardUntil = Math.max(soundUntil, this.#report.heardSince ?? 0);
    this.#report.endInterval(this.#heardUntil, link.reason?.toLowerCase() ?? 'connection_lost');
    this.#connectedAt = null;
    this.#changed();
  }

  #changed(): void {
    const { state: status, attempts, failure } = this.#connection;
    if (status !== 'lost' && status !== 'closed') {
      this.#report.setState({ status, connectedAt: this.#connectedAt, attempts, failure });
    }
    this.#deps.changed();
  }
}
