import type { RoomEvent, TextStreamEvent, UserTextPacket } from '@session/contract/room';
import type { SessionToken } from '../shapes.ts';
import type { PageState } from './page-state.ts';

export interface RoomEvents {
  /** Receives packets, ended text streams, joins and leaves. A stream's attributes include those of its trailer. */
  readonly event: (event: RoomEvent) => void;
  /** Receives a text stream that is still open, with its whole text so far. Calling it is optional. */
  readonly partial: (event: TextStreamEvent) => void;
  /** Called when the connection is interrupted. Messages may be missed from then on. */
  readonly lost: () => void;
  /** Called when the connection is back. */
  readonly restored: () => void;
}

export interface ConnectedRoom {
  readonly identity: string;
  /** Resolves when the connection has ended for good, with LiveKit's name for the reason. */
  readonly closed: Promise<string>;
  /** Sends a packet to all other participants. A resolved send is no delivery. */
  readonly send: (packet: UserTextPacket & { readonly id: string }) => Promise<void>;
  /** Leaves the room when everything sent is on its way. */
  readonly leave: () => Promise<void>;
}

/** How a conversation joins its room: `browserRoom()`, `nodeRoom()`, or an implementation of your own. */
export interface Room {
  /** Joins the room. Resolves when the other participants can see this client. */
  readonly join: (
    token: SessionToken,
    listener: RoomEvents,
    signal: AbortSignal,
  ) => Promise<ConnectedRoom>;
  /** Loads what joining needs. Called when the conversation is opened, while it asks for a token. */
  readonly prepare?: () => void;
  /** The page that the room is in, where there is one. */
  readonly page?: PageState;
  /** Frees what outlives a connection, such as a microphone. Called when the conversation is closed. */
  readonly release?: () => Promise<void>;
}
