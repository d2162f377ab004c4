/** `kind`: LiveKit's kind, in lower case. `sid`: the server's id of this stay; null if only the identity is known. */
export interface Participant {
  readonly identity: string;
  readonly name: string;
  readonly sid: string | null;
  readonly kind: string;
  /** The customer's id of an end user. Live clients do not get it. */
  readonly externalId?: string;
}

interface Received {
  /** In milliseconds since the epoch, by the receiver's clock. */
  readonly receivedAt: number;
}

export interface EventSender {
  readonly sender: Participant | null;
  /** Who may have sent an event without a sender. Empty if a server sent it, or a participant that left at once. */
  readonly candidates?: readonly Pick<Participant, 'identity' | 'kind'>[];
}

export interface Transcribed {
  /**
   * The agents that may have published an event in the sender's name, which LiveKit allows only to agents. Undefined if the
   * sender did, or if the SDK does not show who did.
   */
  readonly transcribers?: readonly string[];
  readonly isOfTrack?: boolean;
}

export interface PacketEvent extends Received, EventSender {
  readonly type: 'packet';
  readonly payload: Uint8Array;
  readonly topic?: string;
  /** Whether the packet's signature proves that the API sent it. An agent then uses the sender that the API names. */
  readonly isSigned?: true;
}

export interface TextStreamEvent extends Received, Transcribed {
  readonly type: 'text_stream';
  readonly topic: string;
  readonly streamId: string;
  readonly beganAt?: number;
  readonly unheard?: readonly string[];
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  readonly hasEnded: boolean;
  readonly sentAt: number | null;
  readonly sender: Participant;
}

export interface ChatMessageEvent extends Received, EventSender, Pick<Transcribed, 'transcribers'> {
  readonly type: 'chat_message';
  readonly id: string;
  readonly text: string;
  readonly sentAt: number | null;
}

export interface PresenceEvent extends Received {
  readonly type: 'participant_joined' | 'participant_left';
  readonly participant: Participant & { readonly sid: string };
  readonly joinedAt: number | null;
  readonly reason: string | null;
}

export type RoomEvent = PacketEvent | TextStreamEvent | ChatMessageEvent | PresenceEvent;

/**
 * Returns whether a participant is an agent: by its kind, or by the prefix `agent-` of its identity, for agents that were
 * started by hand.
 */
export function isAgent({ kind, identity }: Pick<Participant, 'kind' | 'identity'>): boolean {
  return kind === 'agent' || identity.startsWith('agent-');
}

/**
 * Returns whether only an agent can have sent the event. An unknown participant may be a person, and may have left the
 * room.
 */
export function isFromAgent({ sender, candidates = [] }: EventSender): boolean {
  return sender ? isAgent(sender) : candidates.length > 0 && candidates.every(isAgent);
}

/**
 * Returns whether a participant is a recorder. Recorders are hidden from clients, but listed by the server's own
 * interfaces.
 */
export function isRecorder({ identity }: Pick<Participant, 'identity'>): boolean {
  return identity.startsWith('recorder-');
}
