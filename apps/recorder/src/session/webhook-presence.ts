import { decode, type RoomMessage } from '@session/contract/room';
import { pause } from '@session/kit';
import type { RoomPresence } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import * as z from 'zod';
import type { MessageReceiver } from '../message-path.ts';

const SessionId = z.uuid();

interface PresenceDeps {
  /** Throws when the database is away. */
  readonly isSessionActive: (id: string) => Promise<boolean>;
  readonly writer: MessageReceiver;
  /** How long a leave waits for the messages that were sent before it. */
  readonly leaveMs: number;
}

/**
 * Stores the joins and leaves that the media server reports by webhook, for the rooms of all active sessions, whichever
 * recorder records them. The server knows the shortest stays, and the stays that no recorder saw. A join or leave that a
 * recorder has seen by itself has the same id, so it is stored once. A leave waits, because the server's webhook is faster
 * than the participant's last words reach a recorder.
 */
export class WebhookPresence implements AsyncDisposable {
  readonly #deps: PresenceDeps;
  readonly #ending = new AbortController();
  readonly #leaves = new Set<Promise<void>>();

  constructor(deps: PresenceDeps) {
    this.#deps = deps;
  }

  /** Takes a join or leave of any room. Throws when the database is away: then the server sends the webhook again. */
  async receive({ room, event }: RoomPresence): Promise<void> {
    if (!SessionId.safeParse(room).success) return;
    const decoded = decode(event, { sessionId: room, newId: uuidv7 });
    if (decoded.outcome !== 'store') return;
    const { isSessionActive, writer } = this.#deps;
    if (!(await isSessionActive(room))) return;
    const { message } = decoded;
    if (event.type === 'participant_joined') return writer.push(message);
    const leave = this.#pushLater(message);
    this.#leaves.add(leave);
    void leave.finally(() => this.#leaves.delete(leave));
  }

  /** Stores the leaves that still wait, at once. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#leaves);
  }

  async #pushLater(message: RoomMessage): Promise<void> {
    await pause(this.#deps.leaveMs, this.#ending.signal);
    this.#deps.writer.push(message);
  }
}
