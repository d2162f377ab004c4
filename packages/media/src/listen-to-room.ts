import {
  type ChatMessage,
  ConnectionState,
  DisconnectReason,
  ParticipantKind,
  type Room,
  RoomEvent as SdkEvent,
  type Participant as SdkParticipant,
  type TextStreamReader,
} from '@livekit/rtc-node';
import {
  CHAT_TOPIC,
  type Participant,
  type PresenceEvent,
  type RoomEvent,
  type TextStreamEvent,
  TRANSCRIPTION_TOPIC,
} from '@session/contract/room';
import { pause, withDeadline } from '@session/kit';
import { guard } from './guard.ts';
import { TextOrder } from './text-order.ts';

const TOPICS = [CHAT_TOPIC, TRANSCRIPTION_TOPIC];
const SETTLE_MS = 100;
/** Longer than the end of a text whose speaker has left takes to arrive. */
const LAST_TEXTS_MS = 1000;

export interface RoomListener {
  /** Gets what happens, in the order in which it is complete: a text stream when it is over. */
  readonly event: (event: RoomEvent) => Promise<void> | void;
  /** Gets what `event` throws: nothing that it does ends the process. */
  readonly error: (error: unknown) => void;
  /** Aborts when we begin to leave the room: what comes to an end after that was cut off. */
  readonly leaving: AbortSignal;
  /** Called when a text stream begins; `event` gets it when it is over, however it ends. */
  readonly textOpened?: (streamId: string) => void;
}

/** Reports what happens in `room` to the listener. Call it before the room connects, and once a room. */
export function listenToRoom(
  room: Room,
  { event, error, leaving, textOpened }: RoomListener,
): void {
  const report = guard(event, error);
  const receivePacket = guard((payload: Uint8Array, participant?: SdkParticipant) => {
    const sender = participant ? participantOf(participant) : null;
    report({ type: 'packet', payload, sender, receivedAt: Date.now() });
  }, error);
  const receiveChat = guard((message: ChatMessage, participant?: SdkParticipant) => {
    const { id, message: text, timestamp: sentAt } = message;
    const sender = participant ? participantOf(participant) : null;
    report({ type: 'chat_message', id, text, sentAt, sender, receivedAt: Date.now() });
  }, error);
  const order = new TextOrder(report);
  const texts = new Set<{ readonly identity: string; readonly reported: Promise<void> }>();
  const receiveText = guard(async (reader: TextStreamReader, identity: string) => {
    textOpened?.(reader.info.streamId);
    const source = `${identity}/${reader.info.topic}`;
    const reported = order.add(source, readText(room, reader, identity, leaving));
    const text = { identity, reported };
    texts.add(text);
    await reported.finally(() => texts.delete(text));
  }, error);
  const seeJoin = guard((one: SdkParticipant) => report(joinedEvent(one)), error);
  const seeLeave = guard(async (one: SdkParticipant) => {
    const left = presence('participant_left', one);
    const last = [...texts].filter(({ identity }) => identity === one.identity);
    // The SDK tells of the leave and of the texts that it cuts off in any order. A leave that may be none is told at once.
    if (last.length > 0 && left.reason !== null && isConnected(room)) {
      const reported = Promise.allSettled(last.map((text) => text.reported));
      await withDeadline(reported, LAST_TEXTS_MS).catch(() => {});
    }
    report(left);
  }, error);
  room.on(SdkEvent.DataReceived, receivePacket);
  room.on(SdkEvent.ChatMessage, receiveChat);
  room.on(SdkEvent.ParticipantConnected, seeJoin);
  room.on(SdkEvent.ParticipantDisconnected, seeLeave);
  for (const topic of TOPICS) {
    room.registerTextStreamHandler(topic, (reader, { identity }) => receiveText(reader, identity));
  }
}

/** Gives the event of a participant's joining, for one who was there before us too. */
export function joinedEvent(participant: SdkParticipant): PresenceEvent {
  return presence('participant_joined', participant);
}

/** Gives what others may know of a participant. */
export function participantOf(participant: SdkParticipant): Participant & { sid: string } {
  const { identity, name = '', kind } = participant;
  // Without a SID of the server's, two strangers must not seem to be one.
  const sid = participant.sid || identity;
  const kindName: string | undefined = ParticipantKind[kind];
  return { identity, name, sid, kind: kindName?.toLowerCase() ?? 'unknown' };
}

function presence(type: PresenceEvent['type'], participant: SdkParticipant): PresenceEvent {
  const { disconnectReason: reason, info } = participant;
  return {
    type,
    participant: participantOf(participant),
    joinedAt: info.joinedAt === undefined ? null : Number(info.joinedAt),
    reason: reason === undefined ? null : DisconnectReason[reason],
    receivedAt: Date.now(),
  };
}

function isConnected(room: Room): boolean {
  return room.connectionState === ConnectionState.CONN_CONNECTED;
}

async function readText(
  room: Room,
  reader: TextStreamReader,
  identity: string,
  leaving: AbortSignal,
): Promise<TextStreamEvent> {
  const { topic, streamId, attributes = {}, timestamp: sentAt, totalSize } = reader.info;
  const find = () => room.remoteParticipants.get(identity);
  const atStart = find();
  let text = '';
  let hasEnded = true;
  try {
    for await (const chunk of reader) text += chunk;
  } catch {
    hasEnded = false;
  }
  // When it is the connection that ends, or we who leave, a stream of unknown length looks as if it had ended well.
  if (hasEnded && Buffer.byteLength(text) !== totalSize) {
    const hasSettled = await pause(SETTLE_MS, leaving);
    hasEnded = hasSettled && isConnected(room);
  }
  // Its sender may have been announced only now, or have left.
  const participant = find() ?? atStart;
  const unannounced = { identity, name: '', sid: null, kind: 'unknown' };
  return {
    type: 'text_stream',
    topic,
    streamId,
    attributes,
    text,
    hasEnded,
    sentAt,
    sender: participant ? participantOf(participant) : unannounced,
    receivedAt: Date.now(),
  };
}
