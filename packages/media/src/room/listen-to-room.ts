import {
  type ChatMessage,
  type DataPacketKind,
  DisconnectReason,
  type Room,
  RoomEvent as SdkEvent,
  type Participant as SdkParticipant,
  type TextStreamReader,
  type TrackPublication,
} from '@livekit/rtc-node';
import {
  CHAT_TOPIC,
  type PresenceEvent,
  RESENT_TOPIC,
  type RoomEvent,
  type TextStreamEvent,
  TRANSCRIPTION_TOPIC,
} from '@session/contract/room';
import { withDeadline } from '@session/kit';
import { guard } from '../guard.ts';
import { agentsIn, participantOf } from '../sdk-participant.ts';
import { isConnected, OpenText } from '../text/open-text.ts';
import { type TextName, watchHeaders, watchOpenings } from '../text/text-header.ts';
import { TextLimits } from '../text/text-limits.ts';
import { TextOrder } from '../text/text-order.ts';
import { TextTrailers } from '../text/text-trailer.ts';

const TOPICS = [CHAT_TOPIC, TRANSCRIPTION_TOPIC];
const LAST_TEXT_STREAMS_MS = 1000;

export interface TextEnd extends TextName {
  readonly endedAt: number;
  readonly text: Promise<TextStreamEvent>;
}

export interface PublishedTrack {
  readonly identity: string;
  readonly trackSid: string;
}

export interface RoomListener {
  readonly event: (event: RoomEvent) => Promise<void> | void;
  readonly error: (error: unknown) => void;
  readonly leaving: AbortSignal;
  /** Whether to receive messages that senders send again. Only recorders need them, for the history. */
  readonly receivesResent?: boolean;
  readonly trackPublished?: (track: PublishedTrack) => void;
  readonly textStreamBegan?: (text: TextName) => void;
  readonly textStreamOpened?: (text: OpenText) => void;
  /**
   * Receives text streams instead of `event`, at the end of each; `text` resolves up to 100 ms later. Without this
   * callback, `event` receives a sender's texts on a topic in the order in which they began.
   */
  readonly textStreamEnded?: (end: TextEnd) => void;
  readonly now?: () => number;
}

/** Reports the events of `room` to the listener. Call it once for each room, before the room connects. */
export function listenToRoom(room: Room, listener: RoomListener): void {
  const { event, error, leaving, textStreamOpened, textStreamEnded, now = Date.now } = listener;
  // A guard calls its handler at once, so the order is kept. Only errors of the callback go to `error`.
  const report = guard(event, error);
  const receivePacket = guard(
    (payload: Uint8Array, participant?: SdkParticipant, _kind?: DataPacketKind, topic?: string) => {
      const sender = participant ? participantOf(participant) : null;
      report({ type: 'packet', payload, ...(topic && { topic }), sender, receivedAt: now() });
    },
    error,
  );
  const receiveChat = guard((message: ChatMessage, participant?: SdkParticipant) => {
    const { id, message: text, timestamp: sentAt, generated: isGenerated } = message;
    const sender = participant ? participantOf(participant) : null;
    const transcribed = isGenerated ? { transcribers: agentsIn(room) } : {};
    report({ type: 'chat_message', id, text, sentAt, sender, ...transcribed, receivedAt: now() });
  }, error);
  const order = new TextOrder(report);
  const limits = new TextLimits();
  const textRoom = { room, trailers: new TextTrailers(), leaving, now };
  const lastOpening = watchOpenings(room);
  const openTextStreams = new Set<{
    readonly identity: string;
    readonly reported: Promise<void>;
  }>();
  const reportText = async (text: OpenText, ended: Promise<number>): Promise<void> => {
    const { identity, streamId, topic } = text;
    if (!textStreamEnded) {
      const judging = ended.then(() => text.judge());
      return await order.add(`${identity}/${topic}`, judging);
    }
    const endedAt = await ended;
    const judging = text.judge();
    textStreamEnded({ identity, streamId, endedAt, text: judging });
    await judging;
  };
  const receiveText = guard(async (reader: TextStreamReader, identity: string) => {
    const text = new OpenText(textRoom, reader, { identity, ...lastOpening() });
    textStreamOpened?.(text);
    const ended = text.read(() => limits.check(text)).finally(() => limits.remove(text));
    limits.add(text);
    const reported = reportText(text, ended);
    const stream = { identity, reported };
    openTextStreams.add(stream);
    await reported.finally(() => openTextStreams.delete(stream));
  }, error);
  const receiveJoin = guard((joined: SdkParticipant) => report(joinedEvent(joined, now())), error);
  const receiveLeave = guard(async (leaver: SdkParticipant) => {
    const left = presenceEvent('participant_left', leaver, now());
    const cutOff = [...openTextStreams].filter(({ identity }) => identity === leaver.identity);
    // The SDK reports a leave, and the text streams that the leave cuts off, in any order. A leave without a reason may
    // be false: when the SDK reconnects, it reports one for every participant. A leave while this room is not connected
    // may be false, too. Both are reported at once.
    if (cutOff.length > 0 && left.reason !== null && isConnected(room)) {
      const reported = Promise.allSettled(cutOff.map((stream) => stream.reported));
      await withDeadline(reported, LAST_TEXT_STREAMS_MS).catch(() => {});
    }
    report(left);
  }, error);
  const topics = listener.receivesResent ? [...TOPICS, RESENT_TOPIC] : TOPICS;
  if (listener.textStreamBegan) watchHeaders(room, topics, guard(listener.textStreamBegan, error));
  const { trackPublished } = listener;
  if (trackPublished) {
    const receiveTrack = guard(({ sid }: TrackPublication, publisher?: SdkParticipant) => {
      // The SDK omits the publisher of a track if it does not know the participant.
      if (publisher && sid) trackPublished({ identity: publisher.identity, trackSid: sid });
    }, error);
    room.on(SdkEvent.TrackPublished, receiveTrack);
  }
  room.on(SdkEvent.DataReceived, receivePacket);
  room.on(SdkEvent.ChatMessage, receiveChat);
  room.on(SdkEvent.ParticipantConnected, receiveJoin);
  room.on(SdkEvent.ParticipantDisconnected, receiveLeave);
  for (const topic of topics) {
    room.registerTextStreamHandler(topic, (reader, { identity }) => receiveText(reader, identity));
  }
}

/**
 * Returns the event of a participant's join, which may be earlier than ours. `receivedAt` is in milliseconds since the
 * epoch.
 */
export function joinedEvent(participant: SdkParticipant, receivedAt = Date.now()): PresenceEvent {
  return presenceEvent('participant_joined', participant, receivedAt);
}

function presenceEvent(
  type: PresenceEvent['type'],
  participant: SdkParticipant,
  receivedAt: number,
): PresenceEvent {
  const { disconnectReason: reason, info } = participant;
  return {
    type,
    participant: participantOf(participant),
    joinedAt: info.joinedAt === undefined ? null : Number(info.joinedAt),
    reason: reason === undefined ? null : DisconnectReason[reason],
    receivedAt,
  };
}
