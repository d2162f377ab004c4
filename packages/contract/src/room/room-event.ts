/** A participant of a room. `kind` is LiveKit's participant kind in lower case: `standard`, `agent`, `sip`, … */
export interface Participant {
  readonly identity: string;
  readonly name: string;
  /** The server's id of this stay in the room; null if only the identity is known. */
  readonly sid: string | null;
  readonly kind: string;
}

interface Received {
  /** When the event was received, in milliseconds since the epoch, on the receiver's clock. */
  readonly receivedAt: number;
}

/** Who sent an event that LiveKit may deliver without its sender. */
export interface EventSender {
  /** Null if the sender could not be determined, or if a server sent the event. */
  readonly sender: Participant | null;
  /**
   * Of an event without a sender: the participants that may have sent it. Empty if a server sent the event, or a participant
   * that left the room at once. Undefined if the participants are not known.
   */
  readonly candidates?: readonly Pick<Participant, 'identity' | 'kind'>[];
}

/** What is known of an event that an agent published in the sender's name, which LiveKit allows agents alone. */
export interface Transcribed {
  /**
   * The identities of the agents that may have published it: the media server says that it was an agent, but not which one.
   * Undefined if the sender published the event, or if the SDK does not show who did.
   */
  readonly transcribers?: readonly string[];
  /** Whether the stream names a track that the sender has or had in this room. */
  readonly isOfTrack?: boolean;
}

/** A data packet. */
export interface PacketEvent extends Received, EventSender {
  readonly type: 'packet';
  readonly payload: Uint8Array;
  readonly topic?: string;
  /** Whether the signature proves that the API has sent the packet. To an agent, its sender is then whom the API names. */
  readonly isSigned?: true;
}

/** A text stream that is over, with all the text that was received. */
export interface TextStreamEvent extends Received, Transcribed {
  readonly type: 'text_stream';
  readonly topic: string;
  readonly streamId: string;
  /** When its beginning was received, in milliseconds since the epoch. */
  readonly beganAt?: number;
  /** Of an answer: the ids of the texts that it names, and that no recorder received. Only a recorder knows them. */
  readonly unheard?: readonly string[];
  /** Those that the stream began with, and once it is over also those that it ended with. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  /** Whether the sender ended the stream. False if a lost connection or the receiver's own leave cut the stream off. */
  readonly hasEnded: boolean;
  /** The sender's clock, in milliseconds since the epoch. */
  readonly sentAt: number | null;
  readonly sender: Participant;
}

/** A chat message of LiveKit's own kind. */
export interface ChatMessageEvent extends Received, EventSender, Pick<Transcribed, 'transcribers'> {
  readonly type: 'chat_message';
  readonly id: string;
  readonly text: string;
  /** The sender's clock, in milliseconds since the epoch. */
  readonly sentAt: number | null;
}

/** A participant joined or left. The `sid` tells one stay of a participant from the next. */
export interface PresenceEvent extends Received {
  readonly type: 'participant_joined' | 'participant_left';
  readonly participant: Participant & { readonly sid: string };
  /** The server's clock, in milliseconds since the epoch. */
  readonly joinedAt: number | null;
  /** Why the participant left, as LiveKit names the reason; null if unknown, and for a join. */
  readonly reason: string | null;
}

/**
 * What a room reported, before any decision: the first stage of a message's way. `decode` turns a room event into a
 * `RoomMessage`, or skips it.
 */
export type RoomEvent = PacketEvent | TextStreamEvent | ChatMessageEvent | PresenceEvent;

/**
 * Whether a participant is an AI agent: its kind is `agent`, or its identity begins with `agent-`. Agents that were
 * started by hand with the media server's keys have only such an identity.
 */
export function isAgent({ kind, identity }: Pick<Participant, 'kind' | 'identity'>): boolean {
  return kind === 'agent' || identity.startsWith('agent-');
}

/** Whether only an agent can have sent the event. An unknown participant may be a person, and may have left the room. */
export function isFromAgent({ sender, candidates = [] }: EventSender): boolean {
  return sender ? isAgent(sender) : candidates.length > 0 && candidates.every(isAgent);
}

/**
 * Whether a participant is a recorder. Recorders are hidden from clients, but the server's own interfaces list them.
 */
export function isRecorder({ identity }: Pick<Participant, 'identity'>): boolean {
  return identity.startsWith('recorder-');
}
