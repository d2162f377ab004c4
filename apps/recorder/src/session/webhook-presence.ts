import { decode, isRecorder, type PresenceEvent, type RoomMessage } from '@session/contract/room';
import { pause, withDeadline } from '@session/kit';
import type { MediaWebhook, RoomInstance } from '@session/media';
import { LRUCache } from 'lru-cache';
import { v7 as uuidv7 } from 'uuid';
import * as z from 'zod';
import type { MessageReceiver } from '../message-path.ts';
import type { Clock } from '../process/recorder-clock.ts';
import type { Announcer } from '../room/announcer.ts';
import type { ParticipantNames } from './participant-names.ts';

const SessionId = z.uuid();

const DATABASE_TIMEOUT_MS = 500;
const MAX_ACTIVE_SESSIONS = 10_000;

interface PresenceDeps {
  readonly isSessionActive: (id: string) => Promise<boolean>;
  readonly isSessionRecorded: (id: string) => Promise<boolean>;
  readonly announcer: Pick<Announcer, 'announce'>;
  readonly sawRoom: (sessionId: string, instance: RoomInstance) => void;
  readonly names: ParticipantNames;
  readonly writer: MessageReceiver;
  readonly clock: Clock;
  readonly leaveMs: number;
}

/**
 * Takes the media server's webhooks about the rooms of all sessions. Announces joined participants to the room. Stores
 * each join and leave once, because those that a recorder has seen have the same id. A leave waits, because webhooks
 * are faster than the last words.
 */
export class WebhookPresence implements AsyncDisposable {
  readonly #deps: PresenceDeps;
  readonly #ending = new AbortController();
  readonly #unfinished = new Set<Promise<void>>();
  readonly #waitingLeaves = new Set<RoomMessage>();
  readonly #activeSessions = new LRUCache<string, true>({ max: MAX_ACTIVE_SESSIONS });
  #lastAt: number | undefined;

  constructor(deps: PresenceDeps) {
    this.#deps = deps;
  }

  get lastAt(): number | undefined {
    return this.#lastAt;
  }

  leaveWaitsSince(sessionId: string): number {
    const leaves = [...this.#waitingLeaves].filter((leave) => leave.sessionId === sessionId);
    return Math.min(...leaves.map(({ receivedAt }) => receivedAt));
  }

  /**
   * Waits for the database only if the session is not known to be active: the next webhook of a room may need an
   * announcement. Throws when the database does not answer, so that the server repeats the webhook.
   */
  async receive({ room, instance, event }: MediaWebhook): Promise<void> {
    this.#lastAt = this.#deps.clock.now();
    if (!SessionId.safeParse(room).success) return;
    const { announcer, sawRoom } = this.#deps;
    const hasJoined = event?.type === 'participant_joined' && !isRecorder(event.participant);
    // Done before anything that waits: a message that a participant sends before the announcement has no sender, or is
    // lost.
    if (hasJoined) announcer.announce(room, event.participant);
    sawRoom(room, instance);
    const isKnown = this.#activeSessions.has(room);
    if (event && !isKnown) await this.#store(room, event);
    else if (event) this.#finish(this.#store(room, event));
    // Webhooks about other things, such as the recorder's join, come before the first join of a participant.
    else if (!isKnown) this.#finish(this.#isSessionActive(room));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    while (this.#unfinished.size > 0) await Promise.all(this.#unfinished);
  }

  async #store(room: string, event: PresenceEvent): Promise<void> {
    if (isRecorder(event.participant) || !(await this.#isSessionActive(room))) return;
    const { names } = this.#deps;
    await names.load(room, event.participant);
    const decoded = decode(names.named(event), { sessionId: room, newId: uuidv7 });
    if (decoded.outcome !== 'store') return;
    const message = names.identified(decoded.message);
    if (event.type === 'participant_left') this.#finish(this.#pushLater(message));
    else this.#deps.writer.push(message);
  }

  /**
   * While the database is away, a session that was active counts as active: no session is closed then, and the history writer
   * keeps the message on the disk. Throws for any other session.
   */
  async #isSessionActive(sessionId: string): Promise<boolean> {
    try {
      const asked = this.#deps.isSessionActive(sessionId);
      const isActive = await withDeadline(asked, DATABASE_TIMEOUT_MS);
      if (isActive) this.#activeSessions.set(sessionId, true);
      else this.#activeSessions.delete(sessionId);
      return isActive;
    } catch (error) {
      if (this.#activeSessions.has(sessionId)) return true;
      throw error;
    }
  }

  #finish(work: Promise<unknown>): void {
    const finished = work.then(
      () => void this.#unfinished.delete(finished),
      () => void this.#unfinished.delete(finished),
    );
    this.#unfinished.add(finished);
  }

  /** Passes a leave on later, or at once if no recorder could receive an earlier message. */
  async #pushLater(message: RoomMessage): Promise<void> {
    this.#waitingLeaves.add(message);
    if (await this.#isRecorded(message.sessionId)) {
      await pause(this.#deps.leaveMs, this.#ending.signal);
    }
    this.#waitingLeaves.delete(message);
    this.#deps.writer.push(message);
  }

  async #isRecorded(sessionId: string): Promise<boolean> {
    const asked = this.#deps.isSessionRecorded(sessionId);
    return await withDeadline(asked, DATABASE_TIMEOUT_MS).catch(() => true);
  }
}
