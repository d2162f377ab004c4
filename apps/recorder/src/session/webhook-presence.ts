import { decode, type RoomMessage } from '@session/contract/room';
import { pause } from '@session/kit';
import type { RoomPresence } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import * as z from 'zod';

const SessionId = z.uuid();

interface PresenceDeps {
  /** Throws when the database is away. */
  readonly isSessionActive: (id: string) => Promise<boolean>;
  readonly push: (message: RoomMessage) => void;
  /** How long a leave waits for what was said before it. */
  readonly leaveMs: number;
}

/**
 * Stores who came and who left as the media server tells it, in the rooms of all active sessions, whoever records them:
 * it knows of the shortest stays, and of those that nobody heard. What a recorder has seen by itself has the same id, so
 * it is there once. A leave waits: somebody's last words come to a recorder after the server's word of their leave.
 */
export class ToldPresence implements AsyncDisposable {
  readonly #deps: PresenceDeps;
  readonly #ending = new AbortController();
  readonly #leaves = new Set<Promise<void>>();

  constructor(deps: PresenceDeps) {
    this.#deps = deps;
  }

  /** Takes what the server tells. Throws when the database is away: the server tells it again then. */
  async receive({ room, event }: RoomPresence): Promise<void> {
    if (!SessionId.safeParse(room).success) return;
    const decoded = decode(event, { sessionId: room, newId: uuidv7 });
    if (decoded.outcome !== 'record') return;
    const { isSessionActive, push } = this.#deps;
    if (!(await isSessionActive(room))) return;
    const { message } = decoded;
    if (event.type === 'participant_joined') return push(message);
    const leave = this.#pushLater(message);
    this.#leaves.add(leave);
    void leave.finally(() => this.#leaves.delete(leave));
  }

  /** Stores what still waits, now. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#leaves);
  }

  async #pushLater(message: RoomMessage): Promise<void> {
    await pause(this.#deps.leaveMs, this.#ending.signal);
    this.#deps.push(message);
  }
}
