import {
  type RemoteParticipant,
  type RemoteTrackPublication,
  type Room,
  RoomEvent as SdkEvent,
  type Track,
  TrackKind,
  TrackSource,
} from '@livekit/rtc-node';
import { guard } from '../guard.ts';
import { IncomingAudio, isAudioOfAgent } from './incoming-audio.ts';

const MAX_TRACKS = 50;

interface AudioListener {
  readonly audio: (audio: IncomingAudio) => void;
  readonly error: (error: unknown) => void;
  readonly leaving: AbortSignal;
}

interface Wanted {
  readonly publication: RemoteTrackPublication;
  audio?: IncomingAudio;
}

/**
 * Subscribes to up to `MAX_TRACKS` audio tracks of people, never of agents. Call `update` when the room is connected,
 * because earlier tracks cause no event.
 */
export function listenToAudio(room: Room, listener: AudioListener): { update: () => void } {
  const { error, leaving } = listener;
  const tracks = new AudioTracks(room, guard(listener.audio, error));
  const update = guard(() => tracks.update(), error);
  // The SDK adds a listener for each track, and warns of more than ten.
  room.setMaxListeners(2 * MAX_TRACKS);
  room.on(
    SdkEvent.TrackSubscribed,
    guard((track, { sid }, sender) => tracks.receive(track, sid, sender), error),
  );
  room.on(
    SdkEvent.TrackUnsubscribed,
    guard((_, { sid }) => tracks.end(sid), error),
  );
  room.on(SdkEvent.Reconnected, () => {
    tracks.forgetUnanswered();
    update();
  });
  // The SDK may report a track before its sender, and a leave without the end of its tracks.
  room.on(SdkEvent.TrackPublished, update);
  room.on(SdkEvent.TrackUnpublished, update);
  room.on(SdkEvent.ParticipantConnected, update);
  room.on(SdkEvent.ParticipantDisconnected, update);
  room.on(SdkEvent.ParticipantAttributesChanged, update);
  const close = guard(() => tracks.close(), error);
  room.on(SdkEvent.Disconnected, close);
  leaving.addEventListener('abort', close, { once: true });
  return { update };
}

class AudioTracks {
  readonly #room: Room;
  readonly #report: (audio: IncomingAudio) => void;
  readonly #wanted = new Map<string, Wanted>();
  #isClosed = false;

  constructor(room: Room, report: (audio: IncomingAudio) => void) {
    this.#room = room;
    this.#report = report;
  }

  async update(): Promise<void> {
    if (this.#isClosed) return;
    const present = new Map(this.#tracksOfPeople());
    const ends: Promise<void>[] = [];
    for (const [sid, { publication }] of this.#wanted) {
      if (present.get(sid) === publication) continue;
      ends.push(this.end(sid));
      this.#wanted.delete(sid);
    }
    for (const [sid, publication] of present) {
      if (this.#wanted.has(sid) || this.#wanted.size >= MAX_TRACKS) continue;
      this.#wanted.set(sid, { publication });
      publication.setSubscribed(true);
    }
    await Promise.all(ends);
  }

  async receive(track: Track, sid = '', sender: RemoteParticipant): Promise<void> {
    const wanted = this.#wanted.get(sid);
    if (!wanted || this.#isClosed) return;
    await wanted.audio?.close();
    wanted.audio = new IncomingAudio(track, sid, sender);
    this.#report(wanted.audio);
  }

  async end(sid = ''): Promise<void> {
    const wanted = this.#wanted.get(sid);
    const audio = wanted?.audio;
    if (wanted) delete wanted.audio;
    await audio?.close();
  }

  forgetUnanswered(): void {
    for (const [sid, { publication }] of this.#wanted) {
      if (!publication.subscribed) this.#wanted.delete(sid);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#wanted.keys()].map((sid) => this.end(sid)));
  }

  *#tracksOfPeople(): Generator<[string, RemoteTrackPublication]> {
    for (const participant of this.#room.remoteParticipants.values()) {
      const isAgent = isAudioOfAgent(participant);
      for (const [sid, publication] of participant.trackPublications) {
        const isAudio = publication.kind === TrackKind.KIND_AUDIO;
        if (!isAudio || publication.source === TrackSource.SOURCE_SCREENSHARE_AUDIO) continue;
        if (!isAgent) yield [sid, publication];
        else if (this.#wanted.has(sid)) publication.setSubscribed(false);
      }
    }
  }
}
