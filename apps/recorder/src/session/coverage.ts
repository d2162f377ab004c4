import type { PresenceEvent } from '@session/contract/room';
import type { RoomLink } from '../room/room-link.ts';
import type { RecordingReport } from './recording-report.ts';

interface FirstConnection {
  readonly at: number;
  readonly byServer: number | null;
  readonly serverLeadMs: number;
}

/**
 * Which times of a session this recorder covers: decides where each interval begins and ends, and reports that.
 *
 * | what happened                                  | the interval …                                             |
 * |------------------------------------------------|------------------------------------------------------------|
 * | a fresh room is recorded from                  | begins now                                                 |
 * | the SDK resumed the room, nothing was lost     | begins where the interval before ended: there is no gap    |
 * | the SDK resumed the room, some may be lost     | begins now                                                 |
 * | other recorders ended the interval             | begins now                                                 |
 * | the server announced the end of the room       | ends now                                                   |
 * | the server has another room of this name       | ends when that room was created, as far as that is known   |
 * | a participant is in another room of this name  | ends when that participant joined; until nobody is there,  |
 * |                                                | none begins                                                |
 * | the SDK noticed silence                        | ends at the last event or `silenceMs` ago, the later       |
 * | the connection broke, and messages are kept,   | ends, if that is earlier, at the oldest of these           |
 * | or words are undecided                         |                                                            |
 * | the recording ends                             | ends now                                                   |
 * | the recording ends, and messages are kept      | ends now, without the time since the oldest kept message   |
 * | the recording ends in the middle of a text     | ends now, and all intervals are cut at that time           |
 * | a participant joined before the first interval | of length 0 marks where the gap before that one begins     |
 *
 * Times are milliseconds since the epoch.
 */
export class Coverage {
  readonly #report: RecordingReport;
  readonly #silenceMs: number;
  #coveredUntil: number | undefined;
  #firstConnection: FirstConnection | undefined;

  #isSplit = false;

  constructor(report: RecordingReport, silenceMs: number) {
    this.#report = report;
    this.#silenceMs = silenceMs;
  }

  connected(
    link: Pick<RoomLink, 'receivesSince' | 'roster' | 'serverLeadMs'>,
    isSeamless: boolean,
    now: number,
  ): void {
    const from = isSeamless ? (this.#coveredUntil ?? now) : now;
    if (!this.#isSplit) this.#report.beginInterval(from);
    if (this.#firstConnection) return;
    const { receivesSince: byServer, serverLeadMs } = link;
    this.#firstConnection = { at: from, byServer, serverLeadMs };
    const [earliest] = link.roster();
    if (earliest) this.checkEarlyJoin(earliest);
  }

  get isSplit(): boolean {
    return this.#isSplit;
  }

  split(since: number): void {
    this.#isSplit = true;
    this.#report.endInterval(Math.max(since, this.#report.coveredSince ?? 0), 'room_split');
  }

  reunited(isRecording: boolean, now: number): void {
    if (!this.#isSplit) return;
    this.#isSplit = false;
    if (isRecording) this.#report.beginInterval(now);
  }

  endedByOthers(now: number): void {
    this.#report.beginInterval(now);
  }

  /**
   * Reports where a gap begins if this participant joined, by the server's clock, before the first connection. Returns
   * whether it did.
   */
  checkEarlyJoin({ joinedAt }: Pick<PresenceEvent, 'joinedAt'>): boolean {
    const first = this.#firstConnection;
    if (!first?.byServer || !joinedAt || joinedAt >= first.byServer) return false;
    this.#report.insertGapStart(Math.min(joinedAt - first.serverLeadMs, first.at), first.at);
    return true;
  }

  interrupted(
    link: Pick<RoomLink, 'lastEventAt' | 'lostSince' | 'reason' | 'state'>,
    unstoredSince: number,
    now: number,
  ): void {
    // The SDK notices silence late, but an end that the server has announced is certain.
    const receivedUntil =
      link.state === 'gone'
        ? (link.lostSince ?? now)
        : Math.min(now, Math.max(link.lastEventAt, now - this.#silenceMs));
    const storedUntil = Math.min(receivedUntil, unstoredSince);
    this.#coveredUntil = Math.max(storedUntil, this.#report.coveredSince ?? 0);
    this.#report.endInterval(this.#coveredUntil, link.reason?.toLowerCase() ?? 'connection_lost');
  }

  cut(from: number, to: number, reason: string): void {
    this.#report.cutInterval(from, to, reason);
  }

  end(at: number, oldestKeptAt: number, reason: string): void {
    if (oldestKeptAt < Infinity) this.#report.cutInterval(oldestKeptAt, at, reason);
    this.#report.endInterval(at, reason);
  }

  /**
   * Reports that the end at `at` cut off texts whose beginnings no other recorder has, so that the rest of them is lost.
   */
  cutTexts(at: number, now: number, reason: string): void {
    this.#report.cutAllIntervals(at, Math.max(at + 1, now), reason);
  }
}
