import { type RemoteTrack, Room, RoomEvent as SdkEvent, TrackKind } from '@livekit/rtc-node';
import { pause, StartError } from '@session/kit';
import { quietSdk, releaseRoom, roomOptions } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import { HeardSounds } from './heard-sounds.ts';
import { Microphone } from './microphone.ts';

const TRANSCRIPTION_TOPIC = 'lk.transcription';
const POLL_MS = 2;
const TIMEOUT_MS = 20_000;

interface ArrivedWords {
  readonly at: number;
  readonly isFirst: boolean;
}

/** A person in a room, who sees words while they are being said. Times are those of `performance.now()`. */
export class TimedPerson implements AsyncDisposable {
  readonly #room = new Room();
  readonly #stop: AbortSignal;
  readonly #words: ArrivedWords[] = [];
  #openStreams = 0;
  #microphone: Microphone | undefined;
  #sounds: HeardSounds | undefined;

  private constructor(stop: AbortSignal) {
    this.#stop = stop;
    this.#room.registerTextStreamHandler(TRANSCRIPTION_TOPIC, (reader) => {
      // A stream that breaks off is not a fault of the bench: its words count.
      this.#read(reader).catch(() => {});
    });
  }

  static async join(
    { url, token }: { readonly url: string; readonly token: string },
    stop: AbortSignal,
  ): Promise<TimedPerson> {
    quietSdk();
    const person = new TimedPerson(stop);
    await person.#room.connect(url, token, roomOptions());
    return person;
  }

  async type(text: string): Promise<number> {
    const packet = { type: 'user_text', data: text, id: uuidv7() };
    const at = performance.now();
    const data = new TextEncoder().encode(JSON.stringify(packet));
    await this.#room.localParticipant?.publishData(data, { reliable: true });
    return at;
  }

  async firstWordsAfter(since: number): Promise<number> {
    return await this.until('the first words', () => {
      return this.#words.find(({ at, isFirst }) => isFirst && at > since)?.at;
    });
  }

  async listen(): Promise<void> {
    this.#room.on(SdkEvent.TrackSubscribed, (track: RemoteTrack) => {
      if (track.kind === TrackKind.KIND_AUDIO) this.#sounds ??= new HeardSounds(track);
    });
    this.#microphone = await Microphone.publish(this.#room);
    await this.until('the agent’s track', () => {
      for (const participant of this.#room.remoteParticipants.values()) {
        for (const publication of participant.trackPublications.values()) {
          if (!publication.subscribed) publication.setSubscribed(true);
        }
      }
      return this.#sounds;
    });
  }

  async speak(sound: Int16Array<ArrayBuffer>): Promise<number> {
    if (!this.#microphone) throw new StartError('The microphone is off.');
    return await this.#microphone.speak(sound);
  }

  async firstSoundAfter(since: number): Promise<number> {
    return await this.until('the first sound', () => this.#sounds?.firstAfter(since));
  }

  async quiet(): Promise<void> {
    await this.silence();
    await this.until('the end of the sound', () => this.#sounds?.isSilent || undefined);
  }

  async silence(): Promise<void> {
    await this.until('the end of the answer', () => this.#openStreams === 0 || undefined);
  }

  async until<T>(what: string, check: () => T | undefined): Promise<T> {
    const deadline = performance.now() + TIMEOUT_MS;
    for (;;) {
      const found = check();
      if (found !== undefined) return found;
      if (performance.now() > deadline) {
        const seconds = TIMEOUT_MS / 1000;
        throw new StartError(
          `Timed out after ${seconds} s, waiting for ${what}: check the agent’s log.`,
        );
      }
      if (!(await pause(POLL_MS, this.#stop))) throw new StartError('Stopped.');
    }
  }

  async #read(parts: AsyncIterable<string>): Promise<void> {
    let isFirst = true;
    this.#openStreams += 1;
    try {
      for await (const _ of parts) {
        this.#words.push({ at: performance.now(), isFirst });
        isFirst = false;
      }
    } finally {
      this.#openStreams -= 1;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#sounds?.close();
    await this.#microphone?.[Symbol.asyncDispose]();
    await releaseRoom(this.#room);
  }
}
