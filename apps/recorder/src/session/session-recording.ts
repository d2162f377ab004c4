import type { PresenceEvent } from '@session/contract/room';
import type { ListedSlotRow } from '@session/db';
import { pause, type SenderRates } from '@session/kit';
import type { IsSigned, RoomService } from '@session/media';
import type { Logger } from 'pino';
import type { MessageReceiver, PendingMessages } from '../message-path.ts';
import type { Clock } from '../process/recorder-clock.ts';
import type { RecorderQueries } from '../queries.ts';
import type { Announcer } from '../room/announcer.ts';
import type { ConnectionState } from '../room/connection-state.ts';
import { RoomConnection } from '../room/room-connection.ts';
import type { RoomLink } from '../room/room-link.ts';
import type { RoomWatch } from '../room/room-watch.ts';
import type { Timing } from '../timing.ts';
import { Coverage } from './coverage.ts';
import { type Ending, untilMayEnd } from './ending.ts';
import { FloodGate } from './flood-gate.ts';
import { HeardTexts } from './heard-texts.ts';
import type { KeptRoom } from './kept-messages.ts';
import type { ParticipantNames } from './participant-names.ts';
import type { RecordingReport } from './recording-report.ts';
import { openSenderLookup } from './sender-lookup.ts';
import { INTERRUPTION_MS, SessionEvents } from './session-events.ts';
import { SessionLeadership } from './session-leadership.ts';
import type { SkipCounts } from './skip-counts.ts';
import { SplitWatch } from './split-watch.ts';

const CHECKS_PER_CHECKPOINT = 10;

export interface RecordingDeps {
  readonly recorderId: string;
  readonly queries: Pick<
    RecorderQueries,
    'filterStoredTexts' | 'listMessagesWithoutRawId' | 'listPresentIdentities'
  >;
  openLink(room: string, identity: string): Promise<RoomLink>;
  inTurn<T>(sessionId: string, work: () => Promise<T>): Promise<T>;
  readonly rooms: RoomService;
  readonly announcer: Announcer;
  readonly isSigned: IsSigned;
  readonly names: ParticipantNames;
  readonly senderRates: SenderRates;
  readonly keptRoom: KeptRoom;
  readonly roomWatch: RoomWatch;
  readonly writer: MessageReceiver & PendingMessages;
  readonly skipped: SkipCounts;
  readonly log: Logger;
  readonly timing: Timing;
  readonly clock: Clock;
  leaveWaitsSince(sessionId: string): number;
  verify(): Promise<void>;
  sawJoin(): void;
  changed(): void;
}

type RecordedSlot = Pick<ListedSlotRow, 'intervalId' | 'leaderFlushedAt' | 'leaderStandbyAt'>;

export class SessionRecording {
  readonly #deps: RecordingDeps;
  readonly #sessionId: string;
  readonly #report: RecordingReport;
  readonly #coverage: Coverage;
  readonly #texts: HeardTexts;
  readonly #events: SessionEvents;
  readonly #floods: FloodGate;
  readonly #leadership: SessionLeadership;
  readonly #connection: RoomConnection;
  readonly #roomWatch: Disposable;
  readonly #splitWatch: SplitWatch;
  readonly #ending = new AbortController();
  #connectedAt: string | null = null;
  #receivedUntil = Infinity;

  constructor(deps: RecordingDeps, sessionId: string, report: RecordingReport) {
    const { recorderId, timing, skipped, writer, rooms, queries } = deps;
    this.#deps = deps;
    this.#sessionId = sessionId;
    this.#report = report;
    this.#coverage = new Coverage(report, timing.silenceMs);
    this.#leadership = new SessionLeadership({
      writer,
      keptRoom: deps.keptRoom,
      listStored: (after) => queries.listMessagesWithoutRawId(sessionId, after),
      dropped: (from, to) => {
        this.cut(from, to, 'storage_full');
        deps.changed();
      },
      changed: () => deps.changed(),
    });
    this.#floods = new FloodGate({
      sessionId,
      rates: deps.senderRates,
      writer,
      leadership: this.#leadership,
      reportMs: timing.floodMs,
      skipped,
      log: deps.log,
    });
    this.#texts = new HeardTexts({ sessionId, queries, floods: this.#floods });
    this.#events = new SessionEvents({
      sessionId,
      texts: this.#texts,
      senders: openSenderLookup(deps, sessionId),
      names: deps.names,
      messages: this.#floods,
      // The server announces a participant up to 3 s late.
      sawJoin: (event) => {
        deps.sawJoin();
        if (this.#coverage.checkEarlyJoin(event)) deps.changed();
      },
      skipped,
      log: deps.log,
      timing,
    });
    this.#connection = new RoomConnection(
      {
        openLink: (suffix) => deps.openLink(sessionId, `recorder-${recorderId}${suffix}`),
        sendTo: (identity, packet) => rooms.sendPacketTo(sessionId, identity, packet),
        inTurn: (work) => deps.inTurn(sessionId, work),
        verify: () => deps.verify(),
        log: deps.log.child({ sessionId }),
        timing,
        clock: deps.clock,
      },
      {
        changed: () => this.reportState(),
        connected: (link, isFresh) => this.#connected(link, isFresh),
        interrupted: (link) => this.#interrupted(link),
        parted: (link) => this.#parted(link),
      },
      this.#events,
    );
    this.#splitWatch = new SplitWatch({
      ...deps,
      sessionId,
      coverage: this.#coverage,
      connection: this.#connection,
      changed: () => {
        if (this.#report.intervalId === undefined) this.#leadership.standBy();
        this.reportState();
      },
    });
    this.#roomWatch = deps.roomWatch.watch(sessionId, this.#connection, () =>
      this.#splitWatch.roomChanged(),
    );
    void this.#saveOpenTexts();
  }

  get state(): ConnectionState {
    return this.#connection.state;
  }

  get isEmpty(): boolean {
    return this.state === 'recording' && this.#roster().length === 0;
  }

  get attempts(): number {
    return this.#connection.attempts;
  }

  get failure(): string | null {
    return this.#connection.failure;
  }

  get undecidedSince(): number {
    return Math.min(
      this.#events.undecidedSince,
      this.#floods.unreportedSince,
      ...this.#connection.links.map(({ undeliveredSince }) => undeliveredSince),
      this.#deps.leaveWaitsSince(this.#sessionId),
    );
  }

  /**
   * When the oldest kept message was received. Another recorder has to store the kept messages, and its interval covers
   * them if it survives. Otherwise the time from then on does not count as covered.
   */
  get oldestKeptAt(): number {
    return this.#leadership.oldestKeptAt;
  }

  /** Until when this recorder received everything and gave nothing up; `Infinity` while it records. */
  get receivedUntil(): number {
    return this.#receivedUntil;
  }

  get isCatchingUp(): boolean {
    return this.#report.intervalId !== undefined && this.#leadership.isCatchingUp;
  }

  async follow({ intervalId, leaderFlushedAt, leaderStandbyAt }: RecordedSlot): Promise<void> {
    // Other recorders declared this one dead, and ended its interval where it had last stored everything. The history
    // still gets the messages that it received later; only the covered time is reported as a gap.
    if (intervalId === null && this.#report.isIntervalWritten) {
      this.#leadership.standBy();
      this.#coverage.endedByOthers(this.#deps.clock.now());
      this.#deps.changed();
    }
    // The database has lost the end of an earlier interval. So that interval counts as covered, and as the oldest of
    // all.
    const isOther = intervalId !== null && intervalId !== this.#report.intervalId;
    if (isOther && !this.#report.hasUnwritten) {
      this.#report.endAgain(intervalId);
      this.#deps.changed();
    }
    // While the connection breaks, its interval is open for a moment, but this recorder stands by already.
    if (intervalId === null || isOther || this.state === 'reconnecting') return;
    const flushedAt = leaderFlushedAt === null ? null : Date.parse(leaderFlushedAt);
    const standbyAt = leaderStandbyAt === null ? null : Date.parse(leaderStandbyAt);
    await this.#leadership.follow(intervalId, flushedAt === null ? null : { flushedAt, standbyAt });
  }

  cut(from: number, to: number, reason: string): void {
    this.#texts.connected(to);
    this.#coverage.cut(from, to, reason);
  }

  /** Resolves when everything received is stored, or when `cutShort` aborts. Must not be called twice. */
  async end(ending: Ending): Promise<void> {
    const { reason, cutShort } = ending;
    const { clock } = this.#deps;
    this.#splitWatch[Symbol.dispose]();
    this.#roomWatch[Symbol.dispose]();
    this.#connection.stopReconnecting();
    const cutsTexts = await untilMayEnd(this.#connection, ending, clock);
    const isConnected = this.#connection.link?.state === 'up';
    const endedAt = clock.now();
    this.#receivedUntil = endedAt;
    await this.#connection.close();
    await this.#events.end(isConnected);
    this.#floods.reportAll();
    this.#ending.abort();
    const keptSince = this.#leadership.end();
    this.#receivedUntil = Math.min(endedAt, keptSince);
    await this.#deps.writer.untilStored(this.#sessionId, cutShort);
    // Ended only after everything is stored, because the next leader looks for unstored messages.
    this.#coverage.end(endedAt, keptSince, reason);
    if (cutsTexts) this.#coverage.cutTexts(endedAt, clock.now(), reason);
  }

  reportState(): void {
    const { state: status, attempts, failure } = this.#connection;
    if (status !== 'lost' && status !== 'closed') {
      this.#report.setState({ status, connectedAt: this.#connectedAt, attempts, failure });
    }
    this.#deps.changed();
  }

  async #saveOpenTexts(): Promise<void> {
    const { clock, timing } = this.#deps;
    const everyMs = timing.checkpointMs / CHECKS_PER_CHECKPOINT;
    while (await pause(everyMs, this.#ending.signal)) {
      const until = clock.now() - timing.checkpointMs + everyMs;
      for (const link of this.#connection.links) link.saveOpenTexts(until);
    }
  }

  #connected(link: RoomLink, isFresh: boolean): void {
    const now = this.#deps.clock.now();
    const isSeamless = !isFresh && link.isLossless;
    this.#splitWatch.connected(isSeamless);
    this.#coverage.connected(link, isSeamless, now);
    this.#connectedAt = new Date(now).toISOString();
    const heldBackUntil = this.#leadership.connected(now, isSeamless, link.beganAt);
    if (heldBackUntil) this.#events.holdBack(heldBackUntil, now);
    if (!isSeamless) this.#texts.connected(now);
    for (const track of link.publishedTracks()) this.#events.receiveTrack(track);
    this.#events.connected(this.#roster(), now);
    this.reportState();
  }

  #parted(link: RoomLink): void {
    const now = this.#deps.clock.now();
    const silentSince = Math.max(link.lastEventAt, now - this.#deps.timing.silenceMs);
    if (!link.isReceiving) this.#splitWatch.parted(silentSince);
    this.#events.connected(this.#roster(), now);
  }

  #roster(): PresenceEvent[] {
    return this.#connection.links.flatMap((link) => link.roster());
  }

  async #interrupted(link: RoomLink): Promise<void> {
    const now = this.#deps.clock.now();
    const { lastEventAt, lostSince, reason, state } = link;
    // Saved before the interval ends: a kill before the connection is back would lose these words in covered time.
    link.saveOpenTexts(now);
    const limit = AbortSignal.timeout(INTERRUPTION_MS);
    await this.#events.interrupted();
    this.#floods.reportAll();
    this.#leadership.standBy();
    // Otherwise a kill after the interval's end would lose words that it covers.
    await this.#deps.writer.untilStored(this.#sessionId, limit);
    // A text of an unknown sender could not be saved. It may be open for hours.
    const undecidedSince = Math.min(this.#events.undecidedWordsSince, link.undeliveredSince);
    const checkpointAt = now - this.#deps.timing.checkpointMs;
    const unstoredSince = Math.min(this.oldestKeptAt, Math.max(undecidedSince, checkpointAt));
    this.#coverage.interrupted({ lastEventAt, lostSince, reason, state }, unstoredSince, now);
    this.#splitWatch.interrupted({ reason });
    this.#connectedAt = null;
    this.reportState();
  }
}
