import type { ApiError } from '../http/api-error.ts';
import { Listeners } from '../timeline/listeners.ts';
import type { TimelineSnapshot } from '../timeline/snapshot.ts';
import type { Timeline } from '../timeline/timeline.ts';

/**
 * `history`: reads the stored history, outside the room. `observe`: is also in the room, hidden, and cannot send. `join`: is a
 * participant. `operator`: is a participant who speaks in the place of agents, which are silent meanwhile.
 */
export type ConversationMode = 'history' | 'observe' | 'join' | 'operator';

export function takesPart(mode: ConversationMode): boolean {
  return mode === 'join' || mode === 'operator';
}

export type RoomState = 'joining' | 'joined' | 'lost' | 'outside';

/**
 * `connecting`: the first page has not been read, or the room has not been joined. `reconnecting`: the room was lost.
 * `offline`: the API does not answer.
 */
export type LiveConnection = 'idle' | 'connecting' | 'live' | 'reconnecting' | 'offline';

export interface ConversationSnapshot extends TimelineSnapshot {
  readonly loadingOlder: boolean;
  /** Whether the newest messages have been read. Until then, an empty list does not mean an empty history. */
  readonly isLoaded: boolean;
  readonly connection: LiveConnection;
  /** `history` for a conversation without a room. */
  readonly mode: ConversationMode;
  /** Why the API refused to continue, after which the conversation is closed. */
  readonly error: ApiError | null;
}

interface State {
  readonly isOpen: boolean;
  readonly isOnline: boolean;
  readonly mode: ConversationMode;
  readonly roomState: RoomState;
  readonly loadingOlder: boolean;
  readonly error: ApiError | null;
}

export class ConversationState {
  readonly #timeline: Timeline;
  readonly listeners = new Listeners();
  #state: State;
  #list: TimelineSnapshot | undefined;
  #snapshot: ConversationSnapshot | undefined;

  constructor(timeline: Timeline, mode: ConversationMode) {
    this.#timeline = timeline;
    this.#state = {
      isOpen: false,
      isOnline: true,
      mode,
      roomState: mode === 'history' ? 'outside' : 'joining',
      loadingOlder: false,
      error: null,
    };
    timeline.subscribe(() => this.#changed());
  }

  get current(): State {
    return this.#state;
  }

  set(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change };
    this.#changed();
  }

  getSnapshot(): ConversationSnapshot {
    const list = this.#timeline.getSnapshot();
    if (this.#snapshot && this.#list === list) return this.#snapshot;
    const { loadingOlder, error, mode } = this.#state;
    this.#list = list;
    const isLoaded = this.#timeline.askLatest() !== undefined;
    const connection = this.#connection(isLoaded);
    this.#snapshot = { ...list, loadingOlder, isLoaded, connection, mode, error };
    return this.#snapshot;
  }

  async until(isMet: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => {
      if (isMet() || !this.#state.isOpen) resolve();
    };
    const leave = this.listeners.add(look);
    look();
    await promise.finally(leave);
  }

  #connection(isLoaded: boolean): LiveConnection {
    const { isOpen, isOnline, roomState } = this.#state;
    if (!isOpen) return 'idle';
    if (!isOnline) return 'offline';
    if (roomState === 'lost') return 'reconnecting';
    return isLoaded && roomState !== 'joining' ? 'live' : 'connecting';
  }

  #changed(): void {
    this.#snapshot = undefined;
    this.listeners.notify();
  }
}
