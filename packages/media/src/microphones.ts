import {
  type RemoteParticipant,
  type RemoteTrackPublication,
  type Room,
  RoomEvent as SdkEvent,
  type Track,
  TrackKind,
  TrackSource,
} from '@livekit/rtc-node';
import { guard } from './guard.ts';
import { isAudioOfAgent, Microphone } from './microphone.ts';

/** How many microphones are received at the same time. Each takes memory, and time to decode. */
const MAX_MICROPHONES = 50;

/** What `Microphones` calls. */
export interface MicrophoneListener {
  /** The samples per second of all frames, whatever the senders' rates are. */
  readonly sampleRate: number;
  /** Receives each microphone of a person, also those that were there before. */
  readonly microphone: (microphone: Microphone) => Promise<void> | void;
  /** Receives whatever `microphone` throws. */
  readonly error: (error: unknown) => void;
}

interface Wanted {
  readonly publication: RemoteTrackPublication;
  microphone?: Microphone;
}

/**
 * Receives the microphones of the people in a room, of at most `MAX_MICROPHONES` at the same time. Agents are not received; a
 * participant that turns out to be an agent is not received any longer.
 */
export class Microphones implements AsyncDisposable {
  readonly #room: Room;
  readonly #listener: MicrophoneListener;
  readonly #start: (microphone: Microphone) => void;
  /** Those that the server was asked for, by the SID of their tracks. */
  readonly #wanted = new Map<string, Wanted>();
  #isClosed = false;

  /** Create it once for each room. It ends with the room, or when it is disposed of. */
  constructor(room: Room, listener: MicrophoneListener) {
    const { error } = listener;
    this.#room = room;
    this.#listener = listener;
    this.#start = guard(listener.microphone, error);
    const update = guard(() => this.#update(), error);
    room.on(
      SdkEvent.TrackSubscribed,
      guard((track, { sid }, sender) => this.#receive(track, sid, sender), error),
    );
    room.on(
      SdkEvent.TrackUnsubscribed,
      guard((_, { sid }) => this.#endMicrophone(sid), error),
    );
    room.on(SdkEvent.Reconnected, () => {
      // The server may have lost what it was asked for.
      for (const [sid, { publication }] of this.#wanted) {
        if (!publication.subscribed) this.#wanted.delete(sid);
      }
      update();
    });
    // The SDK may report a track before its sender, and a leave without the end of its tracks.
    room.on(SdkEvent.TrackPublished, update);
    room.on(SdkEvent.TrackUnpublished, update);
    room.on(SdkEvent.ParticipantConnected, update);
    room.on(SdkEvent.ParticipantDisconnected, update);
    room.on(SdkEvent.ParticipantAttributesChanged, update);
    update();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#wanted.keys()].map((sid) => this.#endMicrophone(sid)));
    this.#wanted.clear();
  }

  /** Asks for the microphones that are new, and ends those that are gone or turned out to be an agent's. */
  async #update(): Promise<void> {
    if (this.#isClosed) return;
    const present = new Map(this.#microphonesOfPeople());
    const ends: Promise<void>[] = [];
    for (const [sid, { publication }] of this.#wanted) {
      if (present.get(sid) === publication) continue;
      ends.push(this.#endMicrophone(sid));
      this.#wanted.delete(sid);
    }
    for (const [sid, publication] of present) {
      if (this.#wanted.has(sid) || this.#wanted.size >= MAX_MICROPHONES) continue;
      this.#wanted.set(sid, { publication });
      publication.setSubscribed(true);
    }
    await Promise.all(ends);
  }

  *#microphonesOfPeople(): Generator<[string, RemoteTrackPublication]> {
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

  async #receive(track: Track, sid: string | undefined, sender: RemoteParticipant): Promise<void> {
    const wanted = this.#wanted.get(sid ?? '');
    if (!wanted || this.#isClosed) return;
    await wanted.microphone?.close();
    wanted.microphone = new Microphone(track, sender, this.#listener.sampleRate);
    this.#start(wanted.microphone);
  }

  async #endMicrophone(sid: string | undefined): Promise<void> {
    const wanted = this.#wanted.get(sid ?? '');
    const microphone = wanted?.microphone;
    if (wanted) delete wanted.microphone;
    await microphone?.close();
  }
}
