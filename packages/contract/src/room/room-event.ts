/**
 * `kind` is LiveKit's participant kind in lower case: `standard`, `agent`, `sip`, … `sid` is the server's id of this stay in
 * the room; null if only the identity is known.
 */
export interface Participant {
  readonly identity: string;
  readonly name: string;
  readonly sid: string | null;
  readonly kind: string;
  /** Of an end user: the id that the customer gave. A live client does not know it. */
  readonly externalId?: string;
}

interface Received {
  /** In milliseconds since the epoch, on the receiver's clock. */
  readonly receivedAt: number;
}

export interface EventSender {
  readonly sender: Participant | null;
  /**
   * The participants that may have sent an event without a sender. Empty if a server sent the event, or a participant that left
   * the room at once. Undefined if the participants are not known.
   */
  readonly candidates?: readonly Pick<Participant, 'identity' | 'kind'>[];
}

export interface Transcribed {
  /**
   * The agents that may have published an event in the sender's name, which LiveKit allows agents only. The media server does
   * not say which of them did. Undefined if the sender published the event, or if the SDK does not show who did.
   */
  readonly transcribers?: readonly string[];
  readonly isOfTrack?: boolean;
}

export interface PacketEvent extends Received, EventSender {
  readonly type: 'packet';
  readonly payload: Uint8Array;
  readonly topic?: string;
  /** Whether its signature proves that the API sent the packet. To an agent, its sender is then the one that the API names. */
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
 * Whether a participant is an AI agent: its kind is `agent`, or its identity begins with `agent-`. Agents that were started by
 * hand with the media server's keys have only such an identity.
 */
export function isAgent({ kind, identity }: Pick<Participant, 'kind' | 'identity'>): boolean {
  return kind === 'agent' || identity.startsWith('agent-');
}

/** Whether only an agent can have sent the event. An unknown participant may be a person, and may have left the room. */
export function isFromAgent({ sender, candidates = [] }: EventSender): boolean {
  return sender ? isAgent(sender) : candidates.length > 0 && candidates.every(isAgent);
}

/** Whether a participant is a recorder. Recorders are hidden from clients, but the server's own interfaces list them. */
export function isRecorder({ identity }: Pick<Participant, 'identity'>): boolean {
  return identity.startsWith('recorder-');
}
