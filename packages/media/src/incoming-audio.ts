import {
  AudioStream,
  type RemoteParticipant,
  type RemoteTrack,
  type RemoteTrackPublication,
  type Room,
  RoomEvent as SdkEvent,
  TrackKind,
} from '@livekit/rtc-node';
import { isAgent, type Participant } from '@session/contract/room';
import { participantOf } from './sdk-participant.ts';

/** The sample rate of incoming audio: what voice activity detection and speech recognition work with. */
export const INCOMING_RATE = 16_000;
const FRAME_MS = 20;

/** The sound of one person's audio track. */
export interface IncomingAudio {
  readonly participant: Participant;
  readonly trackSid: string;
  /** Mono, `INCOMING_RATE` samples a second, 20 ms each. Ends with the track, and when the room is left. */
  readonly frames: AsyncIterable<Int16Array<ArrayBuffer>>;
}

/**
 * Subscribes to the audio tracks of people in `room`, and reports each of them to `receive`. Agents are not listened to. Call
 * `subscribeAll` when the room is connected: tracks that were there before cause no event.
 */
export function listenToAudio(
  room: Room,
  receive: (audio: IncomingAudio) => void,
): { subscribeAll: () => void } {
  const streams = new Map<string, AudioReader>();
  const subscribeAll = () => {
    for (const participant of room.remoteParticipants.values()) {
      for (const publication of participant.trackPublications.values()) {
        subscribe(publication, participant);
      }
    }
  };
  const begin = (
    track: RemoteTrack,
    publication: RemoteTrackPublication,
    of: RemoteParticipant,
  ) => {
    if (track.kind !== TrackKind.KIND_AUDIO) return;
    const trackSid = publication.sid ?? '';
    streams.get(trackSid)?.close();
    const stream = new AudioReader(track);
    streams.set(trackSid, stream);
    receive({ participant: participantOf(of), trackSid, frames: stream.frames() });
  };
  const end = (_track: RemoteTrack, publication: RemoteTrackPublication) => {
    const trackSid = publication.sid ?? '';
    streams.get(trackSid)?.close();
    streams.delete(trackSid);
  };
  room.on(SdkEvent.TrackPublished, subscribe);
  room.on(SdkEvent.TrackSubscribed, begin);
  room.on(SdkEvent.TrackUnsubscribed, end);
  room.on(SdkEvent.Reconnected, subscribeAll);
  room.on(SdkEvent.Disconnected, () => {
    for (const stream of streams.values()) stream.close();
    streams.clear();
  });
  return { subscribeAll };
}

function subscribe(publication: RemoteTrackPublication, participant: RemoteParticipant): void {
  if (publication.kind !== TrackKind.KIND_AUDIO || isAgent(participantOf(participant))) return;
  if (!publication.subscribed) publication.setSubscribed(true);
}

class AudioReader {
  readonly #reader: ReadableStreamDefaultReader<{ readonly data: Int16Array }>;

  constructor(track: RemoteTrack) {
    const options = { sampleRate: INCOMING_RATE, numChannels: 1, frameSizeMs: FRAME_MS };
    this.#reader = new AudioStream(track, options).getReader();
  }

  async *frames(): AsyncGenerator<Int16Array<ArrayBuffer>> {
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done) return;
      yield Int16Array.from(value.data);
    }
  }

  /** A stream whose track has ended is closed already. */
  close(): void {
    this.#reader.cancel().catch(() => {});
  }
}
