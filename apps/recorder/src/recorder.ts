import {
  listenForChanges,
  type MessageQueries,
  type RecorderQueries,
  type RecordingIntervalQueries,
  type SessionQueries,
  type SlotQueries,
} from '@session/db';
import { type RoomPresence, type RoomService, recorderToken } from '@session/media';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { Assignments } from './slots/slot-keeper.ts';
import { GapReport } from './slots/gap-report.ts';
import { SessionRecording } from './session/session-recording.ts';
import type { Config } from './config.ts';
import { RoomLink } from './room/room-link.ts';
import { SkipCounts } from './session/skip-counts.ts';
import { ToldPresence } from './session/webhook-presence.ts';
import { StallWatch } from './process/stall-watch.ts';
import type { Loss } from './history/queued-message.ts';
import type { Flush } from './history/history-writer.ts';
import { openStorage } from './history/open-history.ts';
import type { Timing } from './timing.ts';

const CONNECT_AT_ONCE = 8;

export interface RecorderDeps {
  /** The same at each start. */
  readonly recorderId: string;
  readonly config: Pick<
    Config,
    'capacity' | 'databaseUrl' | 'media' | 'redundancy' | 'spoolBytes' | 'spoolFolder'
  >;
  readonly queries: RecorderQueries &
    SlotQueries &
    RecordingIntervalQueries &
    Pick<SessionQueries, 'isSessionActive'> &
    Pick<MessageQueries, 'appendMessages' | 'listMessagesWithoutId'>;
  readonly rooms: Pick<RoomService, 'listParticipants' | 'sendPacketTo'>;
  readonly log: Logger;
  readonly timing: Timing;
}

/** How the recorder does, for operators. */
export interface RecorderHealth {
  readonly status: 'ok' | 'unavailable';
  readonly recorderId: string;
  readonly epoch: number;
  /** How many sessions are in which state. */
  readonly sessions: Readonly<Record<string, number>>;
  /** How many messages wait to be stored, on the disk or in memory. */
  readonly queueLength: number;
  /** How much of it is on the disk; `isOk` is false while that takes nothing. */
  readonly spool: { readonly messages: number; readonly sizeBytes: number; readonly isOk: boolean };
  /** How much was heard that is not for the history, by reason; `fault` is a fault of the recorder's. */
  readonly skipped: Readonly<Record<string, number>>;
  /** How many messages did not reach the history, by reason. */
  readonly lost: Readonly<Record<string, number>>;
  readonly database: 'ok' | 'unavailable';
  /** ISO 8601; null when nothing has been stored yet. */
  readonly lastFlushAt: string | null;
}

/** Records all sessions that it may, from its start to `stop`. */
export class Recorder implements AsyncDisposable {
  readonly #deps: RecorderDeps;
  readonly #epoch: number;
  readonly #flush: Flush;
  readonly #skipped = new SkipCounts();
  readonly #gaps: GapReport;
  readonly #assignments: Assignments;
  readonly #listening: AsyncDisposable;
  readonly #stallWatch: StallWatch;
  readonly #toldPresence: ToldPresence;
  #stopped: Promise<void> | undefined;

  private constructor(deps: RecorderDeps, epoch: number, flush: Flush) {
    const { recorderId, queries, log, timing, config } = deps;
    this.#deps = deps;
    this.#epoch = epoch;
    this.#flush = flush;
    this.#gaps = new GapReport({ queries, push: (message) => flush.push(message) });
    this.#toldPresence = new ToldPresence({
      isSessionActive: (id) => queries.isSessionActive(id),
      push: (message) => flush.push(message),
      leaveMs: timing.toldLeaveMs,
    });
    const inTurn = pLimit(CONNECT_AT_ONCE);
    this.#assignments = new Assignments({
      recorderId,
      epoch,
      capacity: config.capacity,
      redundancy: config.redundancy,
      queries,
      log,
      timing,
      gaps: this.#gaps,
      isWaiting: (sessionId) => this.#flush.has(sessionId),
      flushedAt: () => this.#flush.oldestAt ?? Date.now(),
      record: (slot) =>
        new SessionRecording(
          {
            recorderId,
            queries,
            log,
            timing,
            inTurn,
            flush: this.#flush,
            skipped: this.#skipped,
            connect: (room, identity) => this.#connect(room, identity),
            rooms: deps.rooms,
            verify: () => this.#assignments.verify(),
            changed: () => this.#assignments.wake(),
          },
          slot,
        ),
    });
    this.#stallWatch = new StallWatch(timing.stallMs, (from, to) => {
      log.error({ from, to }, 'this process stood still: what came then may be lost');
      this.#assignments.stalled(from, to);
    });
    const wake = () => this.#assignments.wake();
    this.#listening = listenForChanges(config.databaseUrl, ['session_changed'], {
      onChange: wake,
      onListening: wake,
    });
  }

  /** Announces this recorder to the others, and begins. Throws when the database is away. */
  static async start(deps: RecorderDeps): Promise<Recorder> {
    const { recorderId: id, config, queries, log } = deps;
    const { epoch, slots } = await queries.startRecorder({ id, capacity: config.capacity });
    log.info({ recorderId: id, epoch, sessions: slots.length }, 'the recorder starts');
    const started = Promise.withResolvers<Recorder>();
    const recordLoss = async (loss: Loss) => await (await started.promise).#recordLoss(loss);
    const flush = await openStorage({ ...deps, ...config, queries, recordLoss });
    const recorder = new Recorder(deps, epoch, flush);
    started.resolve(recorder);
    return recorder;
  }

  /** Aborts when another process has started as this recorder. */
  get fenced(): AbortSignal {
    return this.#assignments.fenced;
  }

  /** Resolves when it has claimed what it may for the first time, or when `signal` aborts. */
  async claimed(signal: AbortSignal): Promise<void> {
    await this.#assignments.claimed(signal);
  }

  health(): RecorderHealth {
    const { lastFlushAt, lost, length, spool } = this.#flush;
    const isDatabaseOk = this.#assignments.isDatabaseOk && this.#flush.isDatabaseOk;
    const database = isDatabaseOk ? 'ok' : 'unavailable';
    return {
      status: this.#stopped || this.fenced.aborted ? 'unavailable' : database,
      recorderId: this.#deps.recorderId,
      epoch: this.#epoch,
      sessions: this.#assignments.countStates(),
      queueLength: length,
      spool,
      skipped: this.#skipped.toJSON(),
      lost: { ...lost },
      database,
      lastFlushAt: lastFlushAt === null ? null : new Date(lastFlushAt).toISOString(),
    };
  }

  /** Takes what the media server tells of any room, and stores it. Throws when the database is away. */
  async tell(presence: RoomPresence): Promise<void> {
    await this.#toldPresence.receive(presence);
  }

  /**
   * Claims nothing more, waits for the texts that are open, stores what was heard and frees its sessions. When `hurry`
   * aborts it waits for no text. However the database does, it is done in 25 s.
   */
  async stop(hurry: AbortSignal): Promise<void> {
    this.#stopped ??= this.#stop(hurry);
    await this.#stopped;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop(AbortSignal.abort());
  }

  async #stop(hurry: AbortSignal): Promise<void> {
    const { drainMs, lastFlushMs } = this.#deps.timing;
    await this.#listening[Symbol.asyncDispose]();
    const patience = AbortSignal.timeout(drainMs + lastFlushMs / 2);
    await this.#assignments.drain(patience, hurry);
    await this.#stallWatch[Symbol.asyncDispose]();
    await this.#toldPresence[Symbol.asyncDispose]();
    await this.#flush.end(AbortSignal.timeout(lastFlushMs / 2));
  }

  /** What was lost is a gap in what the database knows to be heard: all of that must be written first. */
  async #recordLoss({ sessionId, receivedAt, until }: Loss): Promise<void> {
    await this.#assignments.verify();
    const { recorderId, queries } = this.#deps;
    const from = new Date(receivedAt).toISOString();
    const to = new Date(until + 1).toISOString();
    await queries.cutIntervals({ sessionId, recorderId, from, to, endReason: 'storage_full' });
    this.#gaps.add(sessionId);
    this.#assignments.wake();
  }

  async #connect(room: string, identity: string): Promise<RoomLink> {
    const { config, log, timing } = this.#deps;
    const { token } = await recorderToken(config.media, { room, identity });
    const { url } = config.media;
    return await RoomLink.connect({ url, token, timeoutMs: timing.connectMs }, (err) => {
      log.error({ err, sessionId: room }, 'an event was not recorded');
    });
  }
}
