import type { RoomEvent, TextStreamEvent, UserTextPacket } from '@session/contract/room';
import type { SessionToken } from '../shapes.ts';

export interface RoomEvents {
  /**
   * Receives packets, chat messages, ended text streams, joins and leaves. A stream's attributes include those in its trailer.
   */
  readonly event: (event: RoomEvent) => void;
  /** Receives an open text stream, with the whole text so far. */
  readonly partial: (event: TextStreamEvent) => void;
  readonly lost: () => void;
  readonly restored: () => void;
}

export interface ConnectedRoom {
  readonly identity: string;
  /** Resolves when the connection has ended for good, with LiveKit's name for the reason. */
  readonly closed: Promise<string>;
  /** Sends a packet to all other participants. May resolve although the packet was not delivered. */
  readonly send: (packet: UserTextPacket & { readonly id: string }) => Promise<void>;
  /** Leaves the room. Resolves when everything that was sent is on its way. */
  readonly leave: () => Promise<void>;
}

export interface PageState {
  /**
   * Whether the page is hidden. A hidden page holds no request open, because browsers allow only a few open requests to one
   * server.
   */
  readonly isHidden: boolean;
  /** How often a hidden page reads what is new. */
  readonly hiddenMs: number;
  /** Calls `listener` when the page is hidden or shown, and when it may have missed something, until `signal` aborts. */
  readonly watch: (listener: () => void, signal: AbortSignal) => void;
}

/** How a conversation joins its room: `browserRoom()`, `nodeRoom()`, or an implementation of your own. */
export interface Room {
  /** Joins the room. Resolves when the other participants can see this client. */
  readonly join: (
    token: SessionToken,
    listener: RoomEvents,
    signal: AbortSignal,
  ) => Promise<ConnectedRoom>;
  readonly prepare?: () => void;
  readonly page?: PageState;
  /** Frees what outlives a connection, such as a microphone. Called when nothing more will be sent, possibly several times. */
  readonly release?: () => Promise<void>;
}
