import { listenForChanges } from '@session/db';
import { SenderRates } from '@session/kit';
import { type MediaWebhook, type RoomService, recorderToken } from '@session/media';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { Forgetting } from './history/forgetting.ts';
import type { HistoryWriter } from './history/history-writer.ts';
import { type HistoryDeps, openHistory } from './history/open-history.ts';
import { RejectedFile } from './history/rejected/rejected-file.ts';
import type { LostMessages, StorableMessage } from './message-path.ts';
import type { RoomLimits } from './process/limits.ts';
import { type MachineClocks, RecorderClock } from './process/recorder-clock.ts';
import type { RecorderFigures } from './process/recorder-figures.ts';
import type { RecorderHealth } from './process/recorder-health.ts';
import { StallWatch } from './process/stall-watch.ts';
import { WebhookWatch } from './process/webhook-watch.ts';
import type { RecorderQueries } from './queries.ts';
import { Announcer } from './room/announcer.ts';
import { ConnectQueue } from './room/connect-queue.ts';
import { RoomLink } from './room/room-link.ts';
import { RoomWatch } from './room/room-watch.ts';
import { KeptRoom } from './session/kept-messages.ts';
import { LastNumbers } from './session/last-numbers.ts';
import { ParticipantNames } from './session/participant-names.ts';
import { type RecordingDeps, SessionRecording } from './session/session-recording.ts';
import { SkipCounts } from './session/skip-counts.ts';
import { WebhookPresence } from './session/webhook-presence.ts';
import { GapReport } from './slots/gap-report.ts';
import { cutLostTime } from './slots/lost-time.ts';
import { endKeptIntervals, OutageRecord } from './slots/outage-record.ts';
import { SlotKeeper } from './slots/slot-keeper.ts';
import { SpreadWake } from './slots/spread-wake.ts';
import type { Timing } from './timing.ts';

export interface RecorderDeps extends Pick<HistoryDeps, 'traces'> {
  readonly recorderId: string;
  readonly config: Config & RoomLimits;
  readonly queries: RecorderQueries;
  readonly rooms: RoomService;
  readonly isSigned: RecordingDeps['isSigned'];
  readonly log: Logger;
  readonly timing: Timing;
  readonly clocks?: MachineClocks;
}

/** Records every session whose slot it can claim. Connects the stages of `message-path.ts`. */
export class Recorder implements AsyncDisposable {
  readonly #deps: RecorderDeps;
  readonly #recorderEpoch: number;
  readonly #clock: RecorderClock;
  readonly #writer: HistoryWriter;
  readonly #skipped = new SkipCounts();
  readonly #gaps: GapReport;
  readonly #slots: SlotKeeper;
  readonly #forgetting: Forgetting;
  readonly #changes: AsyncDisposable;
  readonly #spreadWake = new SpreadWake(() => this.#slots.wake());
  readonly #joinWake: SpreadWake;
  readonly #outageRecord: OutageRecord;
  readonly #stallWatch: StallWatch;
  readonly #announcer: Announcer;
  readonly #names: ParticipantNames;
  readonly #lastNumbers: LastNumbers;
  readonly #roomWatch: RoomWatch;
  readonly #webhookWatch: WebhookWatch;
  readonly #webhookPresence: WebhookPresence;
  #stopped: Promise<void> | undefined;

  private constructor(
    deps: RecorderDeps,
    recorderEpoch: number,
    clock: RecorderClock,
    writer: HistoryWriter,
  ) {
    const { recorderId, queries, log, timing, config, rooms } = deps;
    this.#joinWake = new SpreadWake(() => this.#slots.wake(), { restMs: timing.joinRestMs });
    this.#deps = deps;
    this.#recorderEpoch = recorderEpoch;
    this.#clock = clock;
    this.#writer = writer;
    this.#gaps = new GapReport({ queries, writer, clock });
    this.#webhookWatch = new WebhookWatch(log);
    this.#roomWatch = new RoomWatch({ ...rooms, log, clock, everyMs: timing.roomCheckMs });
    this.#names = new ParticipantNames(queries);
    const undecidedSince = (sessionId: string) => this.#slots.undecidedSince(sessionId);
    this.#lastNumbers = new LastNumbers({ ...deps, writer, undecidedSince, clock });
    this.#announcer = new Announcer({ ...rooms, log });
    this.#webhookPresence = new WebhookPresence({
      announcer: this.#announcer,
      names: this.#names,
      sawRoom: (sessionId, instance) => this.#roomWatch.saw(sessionId, instance),
      isSessionActive: (id) => queries.isSessionActive(id),
      isSessionRecorded: (id) => queries.isSessionRecorded(id),
      writer,
      clock,
      leaveMs: timing.webhookLeaveMs,
    });
    const recordingDeps = this.#recordingDeps();
    this.#slots = new SlotKeeper({
      recorderId,
      recorderEpoch,
      capacity: config.capacity,
      roomLimit: config.roomLimit,
      redundancy: config.redundancy,
      queries,
      rooms,
      log,
      timing,
      clock,
      gaps: this.#gaps,
      writer,
      webhookAt: () => isoOrNull(this.#webhookPresence.lastAt),
      heartbeatAnswered: ({ webhooksSeen, otherRecorders, hasErasures }) => {
        if (hasErasures) void this.#forgetting.look();
        this.#webhookWatch.seen(webhooksSeen);
        this.#spreadWake.otherRecorders = otherRecorders;
      },
      startRecording: (sessionId, report) => new SessionRecording(recordingDeps, sessionId, report),
    });
    this.#forgetting = new Forgetting({
      recorderId,
      queries,
      writer,
      rejected: new RejectedFile(config.spoolFolder),
      slots: this.#slots,
      log,
    });
    this.#stallWatch = new StallWatch(clock, timing.stallMs, (from, to) => {
      log.error({ from, to }, 'process stalled; events may be lost');
      this.#slots.stalled(from, to);
    });
    this.#outageRecord = new OutageRecord({
      folder: config.spoolFolder,
      everyMs: timing.heartbeatMs,
      isNeeded: () => !this.#isDatabaseOk || writer.spool.messages > 0,
      intervals: () => this.#slots.keptIntervals(writer.inMemorySince),
    });
    this.#changes = listenForChanges(config.databaseDirectUrl, ['session_changed'], {
      onChange: () => this.#spreadWake.notified(),
      onListening: () => this.#slots.wake(),
    });
  }

  static async start(deps: RecorderDeps): Promise<Recorder> {
    const { recorderId: id, config, queries, log } = deps;
    const clock = new RecorderClock(log, deps.clocks);
    const { capacity, roomLimit } = config;
    const self = { id, capacity, roomLimit };
    const keptSessions = await endKeptIntervals(config.spoolFolder, id, queries);
    const sent = clock.send();
    const { recorderEpoch, slots, endedSessions, databaseNow } = await queries.startRecorder(self);
    clock.measured(sent, databaseNow);
    const sessions = slots.length;
    const start = { recorderId: id, epoch: recorderEpoch, sessions, capacity, roomLimit };
    log.info(start, 'starting recorder');
    // The writer exists before the recorder that it reports to.
    const started = Promise.withResolvers<Recorder>();
    const reportLoss = async (lost: LostMessages, refused?: StorableMessage) => {
      await (await started.promise).#reportLoss(lost);
      if (refused) await queries.hearUnstored([refused]);
    };
    const writer = await openHistory({ ...deps, ...config, queries, reportLoss, clock });
    const recorder = new Recorder(deps, recorderEpoch, clock, writer);
    // Reported even without a slot, because another recorder may hold the session now.
    for (const sessionId of [...keptSessions, ...endedSessions]) recorder.#gaps.add(sessionId);
    started.resolve(recorder);
    return recorder;
  }

  get fenced(): AbortSignal {
    return this.#slots.fenced;
  }

  async firstRound(signal: AbortSignal): Promise<void> {
    await this.#slots.firstRound(signal);
  }

  health(): RecorderHealth {
    const { lastFlushAt, lost, length, spool } = this.#writer;
    const database = this.#isDatabaseOk ? 'ok' : 'unavailable';
    return {
      status: this.#stopped || this.fenced.aborted ? 'unavailable' : database,
      recorderId: this.#deps.recorderId,
      epoch: this.#recorderEpoch,
      sessions: this.#slots.countStates(),
      roomLimit: this.#deps.config.roomLimit,
      unclaimableSessions: this.#slots.unclaimableSessions,
      queueLength: length,
      spool,
      skipped: this.#skipped.toJSON(),
      lost: { ...lost },
      database,
      clock: this.#clock.isWrong ? 'wrong' : 'ok',
      clockOffsetMs: Math.round(this.#clock.offsetMs),
      lastFlushAt: isoOrNull(lastFlushAt),
    };
  }

  figures(): RecorderFigures {
    const { room, waiting } = this.#writer;
    const since = Math.min(...Array.from(waiting.values(), (session) => session.since));
    return {
      capacity: this.#deps.config.capacity,
      isDatabaseOk: this.#isDatabaseOk,
      storageDelays: this.#writer.storageDelays,
      oldestUnstoredAgeMs: Math.max(0, this.#clock.now() - since),
      spool: room,
      joins: this.#webhookWatch.joins,
      lastWebhookAt: this.#webhookPresence.lastAt,
    };
  }

  get #isDatabaseOk(): boolean {
    return this.#slots.isDatabaseOk && this.#writer.isDatabaseOk;
  }

  async receiveWebhook(webhook: MediaWebhook): Promise<void> {
    const receivedAt = this.#clock.now();
    const event = webhook.event && { ...webhook.event, receivedAt };
    // This participant may have joined a session that waits for a recorder: see `GiveWay`.
    if (event?.type === 'participant_joined' && this.#slots.unclaimableSessions > 0)
      this.#joinWake.notified();
    await this.#webhookPresence.receive({ ...webhook, event });
  }

  /**
   * Claims nothing more, waits for open text streams until `cutShort` aborts, stores what was received and releases the
   * slots. Takes at most 25 s, whatever the database does.
   */
  async stop(cutShort: AbortSignal): Promise<void> {
    this.#stopped ??= this.#stop(cutShort);
    await this.#stopped;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop(AbortSignal.abort());
  }

  async #stop(cutShort: AbortSignal): Promise<void> {
    const { drainMs, lastFlushMs } = this.#deps.timing;
    await this.#changes[Symbol.asyncDispose]();
    this.#spreadWake[Symbol.dispose]();
    this.#joinWake[Symbol.dispose]();
    await this.#slots.drain(AbortSignal.timeout(drainMs + lastFlushMs / 2), cutShort);
    await this.#stallWatch[Symbol.asyncDispose]();
    await this.#roomWatch[Symbol.asyncDispose]();
    await this.#webhookPresence[Symbol.asyncDispose]();
    const lastFlush = AbortSignal.timeout(lastFlushMs / 2);
    await this.#writer.end(lastFlush);
    await this.#lastNumbers.end(lastFlush);
    await this.#outageRecord[Symbol.asyncDispose]();
  }

  #recordingDeps(): RecordingDeps {
    const { rooms, config } = this.#deps;
    const connects = new ConnectQueue(rooms);
    return {
      ...this.#deps,
      clock: this.#clock,
      leaveWaitsSince: (sessionId) => this.#webhookPresence.leaveWaitsSince(sessionId),
      inTurn: (sessionId, work) => connects.run(sessionId, work),
      writer: this.#writer,
      announcer: this.#announcer,
      names: this.#names,
      senderRates: new SenderRates(config.senderMessagesPerSecond, () => this.#clock.now()),
      keptRoom: new KeptRoom(),
      roomWatch: this.#roomWatch,
      skipped: this.#skipped,
      openLink: (room, identity) => this.#openLink(room, identity),
      verify: () => this.#slots.verify(),
      sawJoin: () => this.#webhookWatch.sawJoin(),
      changed: () => this.#slots.wake(),
    };
  }

  async #reportLoss(lost: LostMessages): Promise<void> {
    await cutLostTime({ ...this.#deps, slots: this.#slots }, lost);
    this.#gaps.add(lost.sessionId);
    this.#slots.wake();
  }

  async #openLink(room: string, identity: string): Promise<RoomLink> {
    const { config, log, timing } = this.#deps;
    const { token } = await recorderToken(config.media, { room, identity });
    const { url } = config.media;
    const saidLast = this.#lastNumbers.note.bind(this.#lastNumbers, room);
    const joining = { url, token, timeoutMs: timing.connectMs, clock: this.#clock, saidLast };
    return await RoomLink.connect(joining, (err) => {
      log.error({ err, sessionId: room }, 'LiveKit SDK callback failed');
    });
  }
}

function isoOrNull(at: number | null | undefined): string | null {
  return typeof at === 'number' ? new Date(at).toISOString() : null;
}
