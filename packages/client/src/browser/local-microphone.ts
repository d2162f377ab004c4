import type { LocalTrackPublication, Room } from 'livekit-client';
import type { MicrophoneState } from './browser-room-snapshot.ts';
import type { Sdk } from './livekit.ts';
import { type OpenedMicrophone, openMicrophone } from './open-microphone.ts';

export interface PublishingRoom {
  readonly sdk: Sdk;
  readonly room: Room;
}

/**
 * A microphone that is published again on each new connection of a conversation, so the browser asks the person only once.
 */
export class LocalMicrophone {
  readonly #onChange: () => void;
  readonly #onUnplugged: () => void;
  readonly #onOpened: () => void;
  #state: MicrophoneState = 'off';
  #isWanted = false;
  /** Resolves when the microphone is no longer wanted, because a person may never answer the browser's prompt. */
  #unwanted = Promise.withResolvers<void>();
  #isMuted = false;
  #deviceId: string | null = null;
  #track: MediaStreamTrack | undefined;
  #published: { readonly room: Room; readonly publication: LocalTrackPublication } | undefined;
  #target: PublishingRoom | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(onChange: () => void, onUnplugged: () => void, onOpened: () => void) {
    this.#onChange = onChange;
    this.#onUnplugged = onUnplugged;
    this.#onOpened = onOpened;
  }

  get state(): MicrophoneState {
    return this.#state;
  }

  get deviceId(): string | null {
    return this.#deviceId;
  }

  get track(): MediaStreamTrack | undefined {
    return this.#track;
  }

  get isOpen(): boolean {
    return this.#state === 'on';
  }

  async enable(): Promise<void> {
    if (!this.#isWanted) this.#unwanted = Promise.withResolvers();
    this.#isWanted = true;
    this.#isMuted = false;
    await this.#queue(() => this.#update());
  }

  async disable(): Promise<void> {
    this.#isWanted = false;
    this.#unwanted.resolve();
    await this.#queue(() => this.#update());
  }

  async mute(): Promise<void> {
    await this.#setMuted(true);
  }

  async unmute(): Promise<void> {
    if (this.#isWanted && this.#track) await this.#setMuted(false);
    else await this.enable();
  }

  async choose(deviceId: string | null): Promise<void> {
    this.#deviceId = deviceId;
    await this.#queue(async () => {
      if (this.#track) await this.#reopen();
    });
  }

  publishIn(target: PublishingRoom | undefined): void {
    this.#target = target;
    void this.#queue(() => this.#update());
  }

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

  async #update(): Promise<void> {
    if (!this.#isWanted) {
      this.#close();
      this.#setState('off');
      await this.#unpublish();
      return;
    }
    // LiveKit's SDK stops the track when the page is frozen or left.
    if (this.#track?.readyState !== 'live') await this.#open();
    else this.#showMuted();
    await this.#publish();
  }

  async #open(): Promise<void> {
    const isFirst = this.#track === undefined;
    if (isFirst) this.#setState('asking');
    const opening = openMicrophone(this.#deviceId);
    const opened = await Promise.race([opening, this.#unwanted.promise]);
    if (!opened) {
      void opening.then(stop);
      return;
    }
    if ('fault' in opened) {
      this.#close();
      this.#setState(opened.fault);
      await this.#unpublish();
      return;
    }
    if (!this.#isWanted) {
      stop(opened);
      return;
    }
    if (this.#deviceId !== null && opened.isDefault) {
      this.#deviceId = null;
      this.#onUnplugged();
    }
    this.#close();
    this.#track = opened.track;
    this.#onOpened();
    opened.track.enabled = !this.#isMuted;
    opened.track.addEventListener('ended', this.#ended);
    await this.#replace(opened.track);
    this.#showMuted();
  }

  async #reopen(): Promise<void> {
    await this.#open();
    await this.#publish();
  }

  async #replace(track: MediaStreamTrack): Promise<void> {
    try {
      await this.#published?.publication.audioTrack?.replaceTrack(track, true);
      // LiveKit's SDK mutes the publication of a track that ended by itself.
      await this.#applyMuted();
    } catch {
      // A connection that is being restored refuses the track. `#publish` publishes the track again.
      await this.#unpublish();
    }
  }

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
      // The connection is gone again. The microphone is published on the next one.
    }
  }

  async #unpublish(): Promise<void> {
    const published = this.#published;
    this.#published = undefined;
    const track = published?.publication.track?.mediaStreamTrack;
    if (!track) return;
    try {
      await published.room.localParticipant.unpublishTrack(track, true);
    } catch {
      // The connection is lost. Even if it resumes, it no longer has the track.
    }
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

function stop(opened: OpenedMicrophone): void {
  if ('track' in opened) opened.track.stop();
}
