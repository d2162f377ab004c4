import { decode, type RoomEvent, type TextStreamEvent } from '@session/contract/room';
import { v7 as uuidv7 } from 'uuid';
import { isApiError, isRefusal } from '../http/api-error.ts';
import { pause, unlessAborted } from '../http/pause.ts';
import type { ConversationParts } from './parts.ts';
import type { Room, RoomConnection, RoomListener } from './room.ts';

/** `outside`: not in the room, and not on the way into it. */
export type RoomState = 'joining' | 'joined' | 'lost' | 'outside';

/** Keeps a conversation in its room: joins, comes back after a loss, and hands over what is said there. */
export class RoomLink {
  readonly #parts: ConversationParts;
  readonly #room: Room;
  readonly #onState: (state: RoomState) => void;
  #connection: RoomConnection | undefined;

  constructor(parts: ConversationParts, room: Room, onState: (state: RoomState) => void) {
    this.#parts = parts;
    this.#room = room;
    this.#onState = onState;
  }

  /** The room while this client is in it. */
  get connection(): RoomConnection | undefined {
    return this.#connection;
  }

  /** Stays in the room until the session or the conversation is closed. Throws what the API refuses. */
  async attend(): Promise<void> {
    const { signal, timeline, timing, random } = this.#parts;
    this.#onState('joining');
    for (let attempts = 0; ; attempts += 1) {
      const reason = await this.#stay(() => {
        attempts = 0;
      });
      if (reason !== undefined) timeline.roomLost();
      const isOver = reason === 'DUPLICATE_IDENTITY' || (await this.#isSessionClosed());
      this.#onState(isOver ? 'outside' : 'lost');
      if (isOver) return;
      const waitMs = timing.rejoinMs[attempts] ?? timing.rejoinMs.at(-1) ?? 0;
      // A quarter more or less: clients that a server has lost together do not come back together.
      await pause(waitMs * (0.75 + random() / 2), signal);
    }
  }

  /** Leaves the room when all that was sent is on its way. */
  async leave(): Promise<void> {
    await this.#connection?.leave();
  }

  /** Joins, and returns why the connection ended; undefined when there was none. */
  async #stay(onJoined: () => void): Promise<string | undefined> {
    const { api, sessionId, signal } = this.#parts;
    try {
      const token = await api.sessions.createToken(sessionId, { signal });
      this.#connection = await this.#room.join(token, this.#listener(), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isRefusal(error) && !isApiError(error, 'session_closed')) throw error;
      return undefined;
    }
    onJoined();
    this.#onState('joined');
    try {
      return await unlessAborted(this.#connection.closed, signal);
    } finally {
      // A conversation that is being closed still leaves it.
      if (!signal.aborted) this.#connection = undefined;
    }
  }

  async #isSessionClosed(): Promise<boolean> {
    const { api, sessionId, signal } = this.#parts;
    try {
      return (await api.sessions.get(sessionId, { signal })).status === 'CLOSED';
    } catch (error) {
      signal.throwIfAborted();
      if (isRefusal(error)) throw error;
      return false;
    }
  }

  #listener(): RoomListener {
    const { timeline } = this.#parts;
    return {
      event: (event) => this.#hear(event, false),
      partial: (event) => this.#hear(event, true),
      lost: () => {
        timeline.roomLost();
        this.#onState('lost');
      },
      restored: () => this.#onState('joined'),
    };
  }

  /** Hands over what is said. What nobody can name, and who comes and goes, is left to the history. */
  #hear(event: RoomEvent | TextStreamEvent, isOpen: boolean): void {
    const { sessionId, timeline } = this.#parts;
    // A reconnect shows joins and leaves that were none.
    if (event.type === 'participant_joined' || event.type === 'participant_left') return;
    const decoded = decode(event, { sessionId, newId: uuidv7 });
    if (decoded.outcome === 'skip') return;
    const { message } = decoded;
    // Without an id of its own the history will have it under another one.
    if (message.metadata.rawId === null) return;
    const isFinal = decoded.outcome === 'record' && message.status !== 'pending' && !isOpen;
    timeline.hear({ message, isFinal, isOpen });
  }
}
