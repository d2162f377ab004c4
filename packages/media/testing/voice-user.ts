import { setTimeout } from 'node:timers/promises';
import {
  AudioFrame,
  AudioSource,
  LocalAudioTrack,
  type LocalTrackPublication,
  Room,
  type Track,
  TrackPublishOptions,
  TrackSource,
} from '@livekit/rtc-node';
import type { PacketEvent, RoomEvent } from '@session/contract/room';
import { PCM_RATE, type Pcm } from '@session/testing';
import { quietSdk } from '../src/quiet-sdk.ts';
import { JoinedRoom } from '../src/room/joined-room.ts';
import { listenToRoom } from '../src/room/listen-to-room.ts';
import { roomOptions } from '../src/room/room-options.ts';
import type { MediaServer } from '../src/server/media-server.ts';
import { userToken } from '../src/server/tokens.ts';
import type { TextName } from '../src/text/text-header.ts';
import { Hearing } from './hearing.ts';

const FRAME_MS = 20;
/** How much unsent sound the SDK may hold. A hushed person falls silent at most this much later. */
const QUEUE_MS = 100;
/** A `queueMs` above any standstill on a busy machine: speech stays whole, and a hush comes up to this much later. */
export const WHOLE_SPEECH_MS = 2000;

/** The times of a sound: `performance.now()`. */
export interface Spoken {
  readonly startedAt: number;
  readonly endedAt: number;
}

interface Microphone {
  readonly source: AudioSource;
  readonly queueMs: number;
  readonly publication: LocalTrackPublication | undefined;
}

interface VoiceUserOptions {
  readonly rate?: number;
  readonly queueMs?: number;
  readonly token?: string;
}

/**
 * A person in a real room with a microphone that is always on: it sends silence while the person does not speak, as
 * browsers do. The person also types and reads, by `joined` and `events`.
 */
export class VoiceUser implements AsyncDisposable {
  readonly joined: JoinedRoom;
  readonly events: RoomEvent[];
  /** Packets, and the beginnings of text streams, in the order of arrival. In `events`, the ends of streams may be late. */
  readonly arrivals: (PacketEvent | TextName)[];
  readonly #room: Room;
  readonly #source: AudioSource;
  readonly #rate: number;
  readonly #queueMs: number;
  readonly #hearings: Hearing[] = [];
  readonly #pumping: Promise<void>;
  readonly #publication: LocalTrackPublication | undefined;
  #sound: Int16Array<ArrayBuffer> | undefined;
  #offset = 0;
  #soundSent = Promise.withResolvers<void>();
  #isLeaving = false;

  /**
   * Joins as a person called `name`. `rate` is the sample rate of all that the person says. What the person says stays whole
   * while this process stands still for up to `queueMs`.
   */
  static async join(
    server: MediaServer,
    room: string,
    name: string,
    { rate = PCM_RATE, queueMs = QUEUE_MS, token }: VoiceUserOptions = {},
  ): Promise<VoiceUser> {
    quietSdk();
    const user = { room, userId: name.toLowerCase(), name };
    const sdkRoom = new Room();
    const joined = new JoinedRoom(sdkRoom);
    const events: RoomEvent[] = [];
    const arrivals: VoiceUser['arrivals'] = [];
    const event = (roomEvent: RoomEvent) => {
      events.push(roomEvent);
      if (roomEvent.type === 'packet') arrivals.push(roomEvent);
    };
    const textStreamBegan = (text: TextName) => void arrivals.push(text);
    const { leaving } = joined;
    listenToRoom(sdkRoom, { event, textStreamBegan, error: reportError, leaving });
    const ownToken = token ?? (await userToken(server, user)).token;
    await sdkRoom.connect(server.url, ownToken, roomOptions());
    const source = new AudioSource(rate, 1, queueMs);
    const track = LocalAudioTrack.createAudioTrack('microphone', source);
    const options = new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE });
    const publication = await sdkRoom.localParticipant?.publishTrack(track, options);
    const received = { events, arrivals };
    return new VoiceUser(sdkRoom, joined, received, { source, queueMs, publication });
  }

  private constructor(
    room: Room,
    joined: JoinedRoom,
    { events, arrivals }: Pick<VoiceUser, 'arrivals' | 'events'>,
    { source, queueMs, publication }: Microphone,
  ) {
    this.#room = room;
    this.#publication = publication;
    this.joined = joined;
    this.events = events;
    this.arrivals = arrivals;
    this.#source = source;
    this.#rate = source.sampleRate;
    this.#queueMs = queueMs;
    this.#pumping = this.#pump();
  }

  get identity(): string {
    return this.joined.identity;
  }

  /** Resolves when a participant has subscribed to the microphone: what is said before that is not received. */
  async untilListenedTo(): Promise<void> {
    await this.#publication?.waitForSubscription();
  }

  /**
   * Says the sound, in the time that it takes. Resolves when its last sample has left. Throws a RangeError for another
   * sample rate than the person's, and an Error while the person still says something.
   */
  async speak(sound: Pcm): Promise<Spoken> {
    if (sound.rate !== this.#rate) throw new RangeError(`the person speaks at ${this.#rate} Hz`);
    if (this.#sound) throw new Error('the person speaks already');
    this.#soundSent = Promise.withResolvers();
    this.#offset = 0;
    this.#sound = sound.samples;
    const startedAt = performance.now();
    await this.#soundSent.promise;
    return { startedAt, endedAt: performance.now() };
  }

  /** Stops in the middle of what the person says; `speak` resolves then. */
  hush(): void {
    this.#sound = undefined;
    this.#soundSent.resolve();
  }

  /**
   * Listens to the sound of the participant with this identity, by default of the first one that has an audio track.
   * Waits for the track for 30 s at most.
   */
  async hear(identity?: string): Promise<Hearing> {
    const deadline = performance.now() + 30_000;
    let track = this.#subscribe(identity);
    while (!track) {
      if (performance.now() > deadline) throw new Error(`no audio of ${identity ?? 'others'}`);
      await setTimeout(20);
      track = this.#subscribe(identity);
    }
    const hearing = new Hearing(track);
    this.#hearings.push(hearing);
    return hearing;
  }

  get microphones(): string[] {
    return [...this.#room.remoteParticipants.values()]
      .filter(({ trackPublications: tracks }) => tracks.size > 0)
      .map(({ identity }) => identity);
  }

  async leave(): Promise<void> {
    this.#isLeaving = true;
    this.hush();
    await this.#pumping;
    await Promise.all(this.#hearings.map((hearing) => hearing.close()));
    await this.joined.leave();
    await this.#source.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave();
  }

  #subscribe(identity: string | undefined): Track | undefined {
    for (const participant of this.#room.remoteParticipants.values()) {
      if (identity !== undefined && participant.identity !== identity) continue;
      for (const publication of participant.trackPublications.values()) {
        if (publication.source !== TrackSource.SOURCE_MICROPHONE) continue;
        if (!publication.subscribed) publication.setSubscribed(true);
        if (publication.track) return publication.track;
      }
    }
    return undefined;
  }

  /** Sends frame after frame. `captureFrame` waits while the queue is full, which keeps the pace. */
  async #pump(): Promise<void> {
    const length = (this.#rate * FRAME_MS) / 1000;
    while (!this.#isLeaving) {
      const frame = new AudioFrame(this.#nextFrame(length), this.#rate, 1, length);
      await this.#source.captureFrame(frame);
    }
  }

  /** Returns the next samples in a new buffer, because `AudioFrame` ignores where a view begins. */
  #nextFrame(length: number): Int16Array<ArrayBuffer> {
    const frame = new Int16Array(length);
    if (!this.#sound) return frame;
    frame.set(this.#sound.subarray(this.#offset, this.#offset + length));
    this.#offset += length;
    if (this.#offset >= this.#sound.length) {
      const { resolve } = this.#soundSent;
      this.#sound = undefined;
      void setTimeout(this.#queueMs).then(() => resolve());
    }
    return frame;
  }
}

function reportError(error: unknown): void {
  process.emitWarning(String(error));
}
