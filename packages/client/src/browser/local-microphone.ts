import type { LocalTrackPublication, Room } from 'livekit-client';
import type { MicrophoneState } from './browser-room-snapshot.ts';
import type { Sdk } from './livekit.ts';
import { openMicrophone } from './open-microphone.ts';

/** A room that a microphone can be published in. */
export interface PublishingRoom {
  readonly sdk: Sdk;
  readonly room: Room;
}

/**
 * Our own microphone. It outlives the connections of a conversation: whenever there is a new one, it is published there, and
 * the browser asks the person only once.
 */
export class LocalMicrophone {
  readonly #onChange: () => void;
  readonly #onUnplugged: () => void;
  #state: MicrophoneState = 'off';
  #isWanted = false;
  #isMuted = false;
  #deviceId: string | null = null;
  #track: MediaStreamTrack | undefined;
  #published: { readonly room: Room; readonly publication: LocalTrackPublication } | undefined;
  #target: PublishingRoom | undefined;
  #work: Promise<void> = Promise.resolve();

  /** `onUnplugged` is called when the microphone in use is gone, and the default has taken its place. */
  constructor(onChange: () => void, onUnplugged: () => void) {
    this.#onChange = onChange;
    this.#onUnplugged = onUnplugged;
  }

  get state(): MicrophoneState {
    return this.#state;
  }

  get deviceId(): string | null {
    return this.#deviceId;
  }

  /** The sound of the microphone while it is open. */
  get track(): MediaStreamTrack | undefined {
    return this.#track;
  }

  /** Whether sound leaves this machine. */
  get isOpen(): boolean {
    return this.#state === 'on';
  }

  /** Asks the person for the microphone, and publishes it in the room, now or when this client joins. */
  async enable(): Promise<void> {
    this.#isWanted = true;
    this.#isMuted = false;
    await this.#queue(() => this.#update());
  }

  /** Closes the microphone: the browser shows it as unused. */
  async disable(): Promise<void> {
    this.#isWanted = false;
    await this.#queue(() => this.#update());
  }

  /** Sends silence at once, and keeps the microphone open. For push to talk. */
  async mute(): Promise<void> {
    await this.#setMuted(true);
  }

  /** Sends sound again. Opens the microphone if it is not open. */
  async unmute(): Promise<void> {
    if (this.#isWanted && this.#track) await this.#setMuted(false);
    else await this.enable();
  }

  /** Uses the microphone of `deviceId`, also while talking; null for the system's default. */
  async choose(deviceId: string | null): Promise<void> {
    this.#deviceId = deviceId;
    await this.#queue(async () => {
      if (this.#track) await this.#reopen();
    });
  }

  /** Publishes the microphone in this room from now on; undefined when this client is outside. */
  publishIn(target: PublishingRoom | undefined): void {
    this.#target = target;
    void this.#queue(() => this.#update());
  }

  /** Falls back to the default when the chosen microphone is not among `ids`. Retries after an unplugged one. */
  devicesChanged(ids: readonly string[]): void {
    const isGone = this.#deviceId !== null && !ids.includes(this.#deviceId);
    if (isGone) {
      this.#deviceId = null;
      this.#onUnplugged();
    }
    const isBack = this.#isWanted && this.#state === 'absent' && ids.length > 0;
    void this.#queue(async () => {
      if (this.#track && isGone) await this.#reopen();
      else if (isBack) await this.#update();
    });
  }

  #queue(work: () => Promise<void>): Promise<void> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => {
      // A caller that awaits the work gets the error.
    });
    return done;
  }

  /** Brings the track and its publication to what is wanted. */
  async #update(): Promise<void> {
    if (!this.#isWanted) {
      this.#close();
      await this.#unpublish();
      this.#setState('off');
      return;
    }
    // LiveKit's SDK stops the track when the page is frozen or left.
    if (this.#track?.readyState !== 'live') await this.#open();
    else this.#showMuted();
    await this.#publish();
  }

  /** Opens the device that is chosen, and lets it take the place of the one before. */
  async #open(): Promise<void> {
    const isFirst = this.#track === undefined;
    if (isFirst) this.#setState('asking');
    const opened = await openMicrophone(this.#deviceId);
    if ('fault' in opened) {
      this.#close();
      await this.#unpublish();
      this.#setState(opened.fault);
      return;
    }
    if (!this.#isWanted) {
      opened.track.stop();
      return;
    }
    if (this.#deviceId !== null && opened.isDefault) {
      this.#deviceId = null;
      this.#onUnplugged();
    }
    this.#close();
    this.#track = opened.track;
    opened.track.enabled = !this.#isMuted;
    opened.track.addEventListener('ended', this.#ended);
    await this.#replace(opened.track);
    this.#showMuted();
  }

  /** Opens the device that is chosen while another one is open, and keeps it published. */
  async #reopen(): Promise<void> {
    await this.#open();
    await this.#publish();
  }

  /** Sends the sound of `track` instead of what was published. If that fails, nothing is published any more. */
  async #replace(track: MediaStreamTrack): Promise<void> {
    try {
      await this.#published?.publication.audioTrack?.replaceTrack(track, true);
      // LiveKit's SDK mutes the publication of a track that ended by itself.
      await this.#applyMuted();
    } catch {
      // The connection refuses the track while it is set up again. `#publish` publishes it again.
      await this.#unpublish();
    }
  }

  /** The device was unplugged, or the person took its permission back. */
  readonly #ended = (): void => {
    this.#deviceId = null;
    void this.#queue(async () => {
      if (!this.#isWanted || this.#track?.readyState === 'live') return;
      await this.#reopen();
      if (this.#track) this.#onUnplugged();
    });
  };

  async #publish(): Promise<void> {
    const track = this.#track;
    const target = this.#target;
    if (this.#published && this.#published.room !== target?.room) this.#published = undefined;
    if (!track || !target || this.#published) return;
    const { sdk, room } = target;
    const source = sdk.Track.Source.Microphone;
    try {
      const publication = await room.localParticipant.publishTrack(track, { source });
      this.#published = { room, publication };
      await this.#applyMuted();
    } catch {
      // The connection is gone again. With the next one the microphone is published again.
    }
  }

  async #unpublish(): Promise<void> {
    const published = this.#published;
    this.#published = undefined;
    const track = published?.publication.track?.mediaStreamTrack;
    if (track) await published?.room.localParticipant.unpublishTrack(track, true);
  }

  async #setMuted(isMuted: boolean): Promise<void> {
    this.#isMuted = isMuted;
    if (!this.#track) return;
    this.#track.enabled = !isMuted;
    this.#showMuted();
    await this.#applyMuted();
  }

  async #applyMuted(): Promise<void> {
    const publication = this.#published?.publication;
    await (this.#isMuted ? publication?.mute() : publication?.unmute());
  }

  #showMuted(): void {
    this.#setState(this.#isMuted ? 'muted' : 'on');
  }

  #close(): void {
    this.#track?.removeEventListener('ended', this.#ended);
    this.#track?.stop();
    this.#track = undefined;
  }

  #setState(state: MicrophoneState): void {
    this.#state = state;
    this.#onChange();
  }
}
