import { decode, type RoomEvent, type TextStreamEvent } from '@session/contract/room';
import { isApiError, isRefusal } from '../http/api-error.ts';
import { unlessAborted } from '../http/pause.ts';
import type { RoomState } from './conversation-state.ts';
import type { ConversationParts } from './parts.ts';
import type { ConnectedRoom, Room, RoomEvents } from './room.ts';

/** After so many attempts there is one every 10 s only. */
const QUICK_ATTEMPTS = 120;

/** Keeps a conversation in its room: joins, joins again after a loss, and passes what is said to the timeline. */
export class RoomAttendance {
  readonly #parts: ConversationParts;
  readonly #room: Room;
  readonly #onJoined: () => void;
  #connection: ConnectedRoom | undefined;

  /** `onJoined` is called whenever this client is in the room, also when it returns. */
  constructor(parts: ConversationParts, room: Room, onJoined: () => void) {
    this.#parts = parts;
    this.#room = room;
    this.#onJoined = onJoined;
  }

  /** Returns the connection while this client is in the room. */
  get connection(): ConnectedRoom | undefined {
    return this.#connection;
  }

  /** Stays in the room until the session or the conversation is closed. Throws what the API refuses. */
  async attend(): Promise<void> {
    const { alarm, timeline, timing, random } = this.#parts;
    this.#setState('joining');
    this.#room.prepare?.();
    for (let attempts = 0; ; attempts += 1) {
      const reason = await this.#stay();
      if (reason !== undefined) {
        timeline.roomLost();
        attempts = 0;
      }
      const isOver = reason === 'DUPLICATE_IDENTITY' || (await this.#isSessionClosed());
      this.#setState(isOver ? 'outside' : 'lost');
      if (isOver) return;
      const waitMs = timing.rejoinMs[attempts] ?? timing.rejoinMs.at(-1) ?? 0;
      // A quarter more or less, so that clients which a server lost together do not return together.
      await alarm.sleep((attempts > QUICK_ATTEMPTS ? 10 : 1) * waitMs * (0.75 + random() / 2));
    }
  }

  /** Leaves the room when everything sent is on its way. */
  async leave(): Promise<void> {
    await this.#connection?.leave();
    await this.#room.release?.();
  }

  /** Joins the room, and returns why the connection ended; undefined when joining failed. */
  async #stay(): Promise<string | undefined> {
    const { api, sessionId, signal } = this.#parts;
    try {
      const token = await api.sessions.createToken(sessionId, { signal });
      this.#connection = await this.#room.join(token, this.#listener(), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isRefusal(error) && !isApiError(error, 'session_closed')) throw error;
      return undefined;
    }
    this.#setState('joined');
    try {
      return await unlessAborted(this.#connection.closed, signal);
    } finally {
      // A conversation that is being closed still has to leave the room.
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

  #setState(roomState: RoomState): void {
    this.#parts.state.set({ roomState });
    if (roomState === 'joined') this.#onJoined();
  }

  #listener(): RoomEvents {
    const { timeline } = this.#parts;
    return {
      event: (event) => this.#hear(event),
      partial: (event) => this.#hear(event, 'open'),
      lost: () => {
        timeline.roomLost();
        this.#setState('lost');
      },
      restored: () => this.#setState('joined'),
    };
  }

  /** Passes what is said to the timeline. Joins, leaves and messages without an id are listed as the history has them. */
  #hear(event: RoomEvent | TextStreamEvent, known?: 'open'): void {
    const { sessionId, timeline } = this.#parts;
    if (event.type === 'participant_left') timeline.participantLeft(event.participant);
    // A reconnect causes joins and leaves that never happened.
    if ('participant' in event) return;
    const decoded = decode(event, { sessionId, newId: () => '' });
    if (decoded.outcome === 'skip') return;
    const { message } = decoded;
    // A packet without an id is stored under a random one, so it could not be matched.
    if (message.metadata.rawId === null) return;
    const stored = message.status === 'pending' ? 'broken' : 'final';
    const stage = known ?? (decoded.outcome === 'interim' ? 'interim' : stored);
    timeline.hear({ message, stage });
  }
}
