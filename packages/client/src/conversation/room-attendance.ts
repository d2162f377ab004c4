import { decodeSaid, type RoomEvent, type TextStreamEvent } from '@session/contract/room';
import { isApiError, isRefusal } from '../http/api-error.ts';
import { unlessAborted } from '../http/pause.ts';
import { type ConversationMode, type RoomState, takesPart } from './conversation-state.ts';
import type { ConversationParts } from './parts.ts';
import type { ConnectedRoom, Room, RoomEvents } from './room.ts';

/** After this many attempts, waits are ten times as long. */
const QUICK_ATTEMPTS = 120;

export class RoomAttendance {
  readonly #parts: ConversationParts;
  readonly #room: Room;
  readonly #onJoined: () => void;
  #connection: ConnectedRoom | undefined;
  #switching = new AbortController();
  #hasToken = false;

  constructor(parts: ConversationParts, room: Room, onJoined: () => void) {
    this.#parts = parts;
    this.#room = room;
    this.#onJoined = onJoined;
  }

  get connection(): ConnectedRoom | undefined {
    const { mode, roomState } = this.#parts.state.current;
    return takesPart(mode) && roomState !== 'joining' ? this.#connection : undefined;
  }

  setMode(mode: ConversationMode): void {
    const { state, alarm } = this.#parts;
    if (mode === state.current.mode) return;
    state.set({ mode, roomState: mode === 'history' ? 'outside' : 'joining' });
    this.#switching.abort();
    alarm.ring();
  }

  takePart(): void {
    if (!takesPart(this.#parts.state.current.mode)) this.setMode('join');
  }

  async attend(): Promise<void> {
    const { state, signal, timeline } = this.#parts;
    for (;;) {
      await state.until(() => state.current.mode !== 'history');
      signal.throwIfAborted();
      this.#switching = new AbortController();
      await this.#attendIn(state.current.mode, this.#switching.signal);
      signal.throwIfAborted();
      timeline.roomLost();
      if (state.current.mode === 'history') this.#setState('outside');
      if (!takesPart(state.current.mode)) await this.#room.release?.();
    }
  }

  /**
   * Returns as soon as `switched` aborts. Does not rejoin once the session is closed or another client has joined under this
   * identity.
   */
  async #attendIn(mode: ConversationMode, switched: AbortSignal): Promise<void> {
    const { alarm, state, timeline, timing, random } = this.#parts;
    this.#setState('joining');
    this.#room.prepare?.();
    for (let attempts = 0; ; attempts += 1) {
      const reason = await this.#stay(mode, switched);
      if (reason !== undefined) {
        timeline.roomLost();
        attempts = 0;
      }
      const isOver = !switched.aborted && (await this.#isOver(reason));
      if (switched.aborted) return;
      this.#setState(isOver ? 'outside' : 'lost');
      if (isOver) {
        await this.#room.release?.();
        return await state.until(() => switched.aborted);
      }
      const waitMs = timing.rejoinMs[attempts] ?? timing.rejoinMs.at(-1) ?? 0;
      // Up to a quarter more or less, so that clients which lost a server together do not return together.
      await alarm.sleep((attempts > QUICK_ATTEMPTS ? 10 : 1) * waitMs * (0.75 + random() / 2));
    }
  }

  async leave(): Promise<void> {
    await this.#connection?.leave();
    await this.#room.release?.();
  }

  async #stay(mode: ConversationMode, switched: AbortSignal): Promise<string | undefined> {
    const { api, sessionId, signal } = this.#parts;
    const ending = AbortSignal.any([signal, switched]);
    try {
      ending.throwIfAborted();
      const wanted = mode === 'observe' || mode === 'operator' ? { mode } : {};
      const token = await api.sessions.createToken(sessionId, { ...wanted, signal: ending });
      this.#hasToken = true;
      this.#connection = await this.#room.join(token, this.#listener(switched), ending);
    } catch (error) {
      signal.throwIfAborted();
      if (isRefusal(error, this.#hasToken) && !isApiError(error, 'session_closed')) throw error;
      return undefined;
    }
    this.#setState('joined');
    const connection = this.#connection;
    try {
      return await unlessAborted(connection.closed, ending);
    } catch (error) {
      signal.throwIfAborted();
      if (!switched.aborted) throw error;
      await connection.leave();
      return undefined;
    } finally {
      // A conversation that is closing still has to leave the room.
      if (!signal.aborted) this.#connection = undefined;
    }
  }

  async #isOver(reason: string | undefined): Promise<boolean> {
    if (reason === 'DUPLICATE_IDENTITY') return true;
    const { api, sessionId, signal } = this.#parts;
    try {
      return (await api.sessions.get(sessionId, { signal })).status === 'CLOSED';
    } catch (error) {
      signal.throwIfAborted();
      if (isRefusal(error, this.#hasToken)) throw error;
      return false;
    }
  }

  #setState(roomState: RoomState): void {
    this.#parts.state.set({ roomState });
    if (roomState === 'joined') this.#onJoined();
  }

  #listener(switched: AbortSignal): RoomEvents {
    const { timeline } = this.#parts;
    const setState = (roomState: RoomState) => {
      if (!switched.aborted) this.#setState(roomState);
    };
    return {
      event: (event) => this.#hear(event),
      partial: (event) => this.#hear(event, 'open'),
      lost: () => {
        timeline.roomLost();
        setState('lost');
      },
      restored: () => setState('joined'),
    };
  }

  /**
   * Passes messages to the timeline. Joins, leaves and messages without an id are listed only once they are in the history.
   */
  #hear(event: RoomEvent | TextStreamEvent, known?: 'open'): void {
    const { sessionId, timeline } = this.#parts;
    if (event.type === 'participant_left') timeline.participantLeft(event.participant);
    // During a reconnect, the room reports joins and leaves that did not happen.
    if ('participant' in event) return;
    const decoded = decodeSaid(event, { sessionId, newId: () => '' });
    if (decoded.outcome === 'skip') return;
    const { message } = decoded;
    // A packet without an id is stored under a random id, so its row could not be matched.
    if (message.metadata.rawId === null) return;
    const stored = message.status === 'pending' ? 'broken' : 'final';
    const stage = known ?? (decoded.outcome === 'interim' ? 'interim' : stored);
    timeline.hear({ message, stage });
  }
}
