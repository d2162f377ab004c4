import type { SessionToken } from '@session/contract';
import type { RoomEvent, TextStreamEvent, UserTextPacket } from '@session/contract/room';

/** Gets what happens in a room. */
export interface RoomListener {
  /** Gets a packet, a text stream that is over, or a join or leave. */
  readonly event: (event: RoomEvent) => void;
  /** Gets a text stream that goes on, with all of its text so far. A room that cannot tell does without. */
  readonly partial: (event: TextStreamEvent) => void;
  /** Called when the connection is interrupted: what is said meanwhile may not arrive. */
  readonly lost: () => void;
  /** Called when the connection is there again. */
  readonly restored: () => void;
}

/** A room that this client is in. */
export interface RoomConnection {
  /** What this client is called in the room. */
  readonly identity: string;
  /** Resolves when this client is out of the room for good, with LiveKit's name of the reason. */
  readonly closed: Promise<string>;
  /** Sends a packet to all others. When it resolves, the packet may still be lost. */
  readonly send: (packet: UserTextPacket & { readonly id: string }) => Promise<void>;
  /** Leaves when all that was sent is on its way. */
  readonly leave: () => Promise<void>;
}

/** How a conversation gets into its room: `nodeRoom()` of `@session/client/node`, or one of your own. */
export interface Room {
  /** Joins once; the others know this client when it resolves. */
  readonly join: (
    token: SessionToken,
    listener: RoomListener,
    signal: AbortSignal,
  ) => Promise<RoomConnection>;
}
