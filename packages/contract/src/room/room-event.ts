/** Who sent or did something in a room. `kind` is LiveKit's participant kind in lower case: `standard`, `agent`, `sip`, … */
export interface Participant {
  readonly identity: string;
  readonly name: string;
  /** The server's id of this stay; null when the sender is known by identity alone. */
  readonly sid: string | null;
  readonly kind: string;
}

interface Received {
  /** When it was received, in milliseconds since the epoch, on the receiver's clock. */
  readonly receivedAt: number;
}

/** A data packet. The sender is null when it could not be found out, and for what a server sent. */
export interface PacketEvent extends Received {
  readonly type: 'packet';
  readonly payload: Uint8Array;
  readonly sender: Participant | null;
}

/** A text stream that is over, with all the text that came. */
export interface TextStreamEvent extends Received {
  readonly type: 'text_stream';
  readonly topic: string;
  readonly streamId: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  /** Whether its sender ended it. False when the connection, or our own leaving, cut it off. */
  readonly hasEnded: boolean;
  /** The sender's clock, in milliseconds since the epoch. */
  readonly sentAt: number | null;
  readonly sender: Participant;
}

/** LiveKit's own chat message. */
export interface ChatMessageEvent extends Received {
  readonly type: 'chat_message';
  readonly id: string;
  readonly text: string;
  /** The sender's clock, in milliseconds since the epoch. */
  readonly sentAt: number | null;
  readonly sender: Participant | null;
}

/** A participant came or went. Their `sid` tells one stay from the next. */
export interface PresenceEvent extends Received {
  readonly type: 'participant_joined' | 'participant_left';
  readonly participant: Participant & { readonly sid: string };
  /** The server's clock, in milliseconds since the epoch. */
  readonly joinedAt: number | null;
  /** Why they left, in LiveKit's words, when it is known. */
  readonly reason: string | null;
}

/** Whatever happens in a room and may belong in its history. */
export type RoomEvent = PacketEvent | TextStreamEvent | ChatMessageEvent | PresenceEvent;

/**
 * Whether a participant is an AI agent: of kind `agent`, or with an identity that begins `agent-`, as those have that
 * were started by hand with the media server's keys.
 */
export function isAgent({ kind, identity }: Pick<Participant, 'kind' | 'identity'>): boolean {
  return kind === 'agent' || identity.startsWith('agent-');
}

/** Whether a participant is a recorder: hidden from clients, but listed by the server's own interfaces. */
export function isRecorder({ identity }: Pick<Participant, 'identity'>): boolean {
  return identity.startsWith('recorder-');
}
