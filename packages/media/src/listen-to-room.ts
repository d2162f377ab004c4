import {
  type ChatMessage,
  ConnectionState,
  type DataPacketKind,
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
/** How long after the end of a stream the SDK may still report that the connection was lost. */
const LATE_LOSS_MS = 100;
/** Longer than the end of a text stream takes to arrive after its sender has left. */
const LAST_TEXT_STREAMS_MS = 1000;

/** What `listenToRoom` calls with the events of a room. */
export interface RoomListener {
  /** Receives each event when it is complete, and a text stream when it is over. */
  readonly event: (event: RoomEvent) => Promise<void> | void;
  /** Receives whatever `event` throws, so that an error never ends the process. */
  readonly error: (error: unknown) => void;
  /** Aborts when we begin to leave the room. A text stream that ends after that was cut off. */
  readonly leaving: AbortSignal;
  /** Called when a text stream begins. `event` receives the stream when it is over, however it ends. */
  readonly textStreamOpened?: (streamId: string) => void;
}

/** Reports the events of `room` to the listener. Call it once for each room, before the room connects. */
export function listenToRoom(
  room: Room,
  { event, error, leaving, textStreamOpened }: RoomListener,
): void {
  // A guard calls at once, so the order stays; only an error of the callback goes to `error`.
  const report = guard(event, error);
  const receivePacket = guard(
    (payload: Uint8Array, participant?: SdkParticipant, _kind?: DataPacketKind, topic?: string) => {
      const sender = participant ? participantOf(participant) : null;
      report({ type: 'packet', payload, ...(topic && { topic }), sender, receivedAt: Date.now() });
    },
    error,
  );
  const receiveChat = guard((message: ChatMessage, participant?: SdkParticipant) => {
    const { id, message: text, timestamp: sentAt } = message;
    const sender = participant ? participantOf(participant) : null;
    report({ type: 'chat_message', id, text, sentAt, sender, receivedAt: Date.now() });
  }, error);
  const order = new TextOrder(report);
  const openTextStreams = new Set<{
    readonly identity: string;
    readonly reported: Promise<void>;
  }>();
  const receiveText = guard(async (reader: TextStreamReader, identity: string) => {
    textStreamOpened?.(reader.info.streamId);
    const source = `${identity}/${reader.info.topic}`;
    const reported = order.add(source, readText(room, reader, identity, leaving));
    const stream = { identity, reported };
    openTextStreams.add(stream);
    await reported.finally(() => openTextStreams.delete(stream));
  }, error);
  const receiveJoin = guard((joined: SdkParticipant) => report(joinedEvent(joined)), error);
  const receiveLeave = guard(async (leaver: SdkParticipant) => {
    const left = presenceEvent('participant_left', leaver);
    const cutOff = [...openTextStreams].filter(({ identity }) => identity === leaver.identity);
    // The SDK reports the leave and the text streams that the leave cuts off in any order. A leave without a reason may be
    // false: the SDK reports one for every participant when it reconnects. So may a leave while this room is not connected.
    // Both are reported at once.
    if (cutOff.length > 0 && left.reason !== null && isConnected(room)) {
      const reported = Promise.allSettled(cutOff.map((stream) => stream.reported));
      await withDeadline(reported, LAST_TEXT_STREAMS_MS).catch(() => {});
    }
    report(left);
  }, error);
  room.on(SdkEvent.DataReceived, receivePacket);
  room.on(SdkEvent.ChatMessage, receiveChat);
  room.on(SdkEvent.ParticipantConnected, receiveJoin);
  room.on(SdkEvent.ParticipantDisconnected, receiveLeave);
  for (const topic of TOPICS) {
    room.registerTextStreamHandler(topic, (reader, { identity }) => receiveText(reader, identity));
  }
}

/** Returns the event that `participant` joined; also for a participant that was in the room before us. */
export function joinedEvent(participant: SdkParticipant): PresenceEvent {
  return presenceEvent('participant_joined', participant);
}

/** Returns a participant of the SDK as the `Participant` of a room event. */
export function participantOf(participant: SdkParticipant): Participant & { sid: string } {
  const { identity, name = '', kind } = participant;
  // Without a SID from the server, two unknown participants must not look like the same participant.
  const sid = participant.sid || identity;
  const kindName: string | undefined = ParticipantKind[kind];
  return { identity, name, sid, kind: kindName?.toLowerCase() ?? 'unknown' };
}

function presenceEvent(type: PresenceEvent['type'], participant: SdkParticipant): PresenceEvent {
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
  const findSender = () => room.remoteParticipants.get(identity);
  const senderAtStart = findSender();
  let text = '';
  let hasEnded = true;
  try {
    for await (const chunk of reader) text += chunk;
  } catch {
    hasEnded = false;
  }
  // A stream of unknown length seems to end normally even when the connection is lost, or when we leave.
  if (hasEnded && Buffer.byteLength(text) !== totalSize) {
    const hasWaited = await pause(LATE_LOSS_MS, leaving);
    hasEnded = hasWaited && isConnected(room);
  }
  // The sender may have been announced only now, or may have left already.
  const participant = findSender() ?? senderAtStart;
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
