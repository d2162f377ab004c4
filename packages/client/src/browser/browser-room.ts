import type { Participant as SdkParticipant, Room as SdkRoom } from 'livekit-client';
import type { ConnectedRoom, Room, RoomEvents } from '../conversation/room.ts';
import type { SessionToken } from '../shapes.ts';
import { Listeners } from '../timeline/listeners.ts';
import { AudioDevices } from './audio-devices.ts';
import { AudioLevels } from './audio-levels.ts';
import { BrowserConnection } from './browser-connection.ts';
import type { BrowserRoomSnapshot, MicrophoneSwitches } from './browser-room-snapshot.ts';
import { isHidden, LOGGER_NAME, loadSdk, reconnectPolicy } from './livekit.ts';
import { LocalMicrophone, type PublishingRoom } from './local-microphone.ts';
import { PageWatch } from './page-watch.ts';
import { participantsOf } from './room-participants.ts';

/**
 * The room of one conversation in a browser. It plays what the others say, and asks for the microphone only when
 * `microphone.enable` or `microphone.unmute` is called.
 */
export class BrowserRoom implements Room {
  readonly page = new PageWatch();
  readonly #listeners = new Listeners();
  readonly #levels = new AudioLevels();
  readonly #devices: AudioDevices;
  readonly #microphone: LocalMicrophone;
  readonly #connections = new Set<BrowserConnection>();
  #live: PublishingRoom | undefined;
  #speakerId: string | null = null;
  #notice: BrowserRoomSnapshot['notice'] = null;
  #snapshot: BrowserRoomSnapshot | undefined;

  constructor() {
    const changed = () => this.#changed();
    this.#devices = new AudioDevices(() => this.#devicesChanged());
    this.#microphone = new LocalMicrophone(
      changed,
      () => this.#notify('microphone_unplugged'),
      // Until the person has allowed a microphone, the browser hides the devices, and it does not report when it stops
      // hiding them.
      () => void this.#devices.read(),
    );
  }

  get microphone(): MicrophoneSwitches {
    return this.#microphone;
  }

  readonly subscribe = (listener: () => void): (() => void) => this.#listeners.add(listener);

  /** Returns the same object until something changes. */
  readonly getSnapshot = (): BrowserRoomSnapshot => {
    this.#snapshot ??= {
      participants: this.#live ? participantsOf(this.#live.sdk, this.#live.room) : [],
      microphone: this.#microphone.state,
      microphones: this.#devices.microphones,
      speakers: this.#devices.speakers,
      microphoneId: this.#microphone.deviceId,
      speakerId: this.#speakerId,
      canPlayAudio: !this.#live || this.#live.room.canPlaybackAudio || !hasSound(this.#live.room),
      notice: this.#notice,
    };
    return this.#snapshot;
  };

  /** Loads LiveKit's SDK. A page that will probably open a conversation can call it ahead of time. */
  prepare(): void {
    loadSdk().catch(() => {
      // `join` reports the failure. A browser may repeat a failed import without a request until the page is reloaded.
    });
  }

  async join(
    { serverUrl, participantToken }: SessionToken,
    listener: RoomEvents,
    signal: AbortSignal,
  ): Promise<ConnectedRoom> {
    const sdk = await loadSdk();
    signal.throwIfAborted();
    this.#devices.watch();
    const room = new sdk.Room({
      reconnectPolicy,
      loggerName: LOGGER_NAME,
      // The microphone is ours, and stays open after the connection ends.
      stopLocalTrackOnUnpublish: false,
      ...(this.#speakerId !== null && { audioOutput: { deviceId: this.#speakerId } }),
    });
    const live = { sdk, room };
    const connection = new BrowserConnection(sdk, room, listener, () => this.#changed());
    this.#connections.add(connection);
    void connection.closed.then(() => this.#connections.delete(connection));
    const leave = () => void connection.leave();
    signal.addEventListener('abort', leave);
    try {
      await connection.connect(serverUrl, participantToken);
      signal.throwIfAborted();
    } catch (error) {
      await connection.leave();
      throw error;
    } finally {
      signal.removeEventListener('abort', leave);
    }
    this.#live = live;
    if (!isHidden(room.localParticipant)) this.#microphone.publishIn(live);
    void connection.closed.then(() => this.#ended(live));
    this.#changed();
    return connection;
  }

  /** Uses another microphone, even while talking; null for the system's default. */
  async chooseMicrophone(id: string | null): Promise<void> {
    this.#dismiss('microphone_unplugged');
    await this.#microphone.choose(id);
  }

  /**
   * Plays through another speaker; null for the system's default. If that fails, keeps the speaker and throws the browser's
   * error.
   */
  async chooseSpeaker(id: string | null): Promise<void> {
    await this.#live?.room.switchActiveDevice('audiooutput', id ?? 'default');
    this.#speakerId = id;
    this.#dismiss('speaker_unplugged');
  }

  /** Plays sound that the browser has blocked. Call it from a button, because browsers require a click. */
  async playAudio(): Promise<void> {
    await this.#live?.room.startAudio();
  }

  dismissNotice(): void {
    this.#notice = null;
    this.#changed();
  }

  /** Returns how loud a participant is, from 0 to 1. Changes are not reported, so call this in each animation frame. */
  level(identity: string): number {
    const participant = this.#live?.room.getParticipantByIdentity(identity);
    if (!participant) return 0;
    const track = participant.isLocal ? this.#microphone.track : trackOf(participant);
    if (!track || !participant.isMicrophoneEnabled) return 0;
    return this.#levels.measure(identity, track) ?? participant.audioLevel;
  }

  /**
   * Closes the microphone, and stops watching devices and measuring levels. A conversation calls this when it leaves. Does
   * nothing while a conversation is in the room.
   */
  async release(): Promise<void> {
    if (this.#connections.size > 0) return;
    this.#devices.unwatch();
    await Promise.all([this.#microphone.disable(), this.#levels.close()]);
  }

  #ended(live: PublishingRoom): void {
    if (this.#live !== live) return;
    this.#live = undefined;
    this.#microphone.publishIn(undefined);
    this.#changed();
  }

  #devicesChanged(): void {
    const { microphones, speakers, areKnown } = this.#devices;
    if (areKnown) {
      this.#microphone.devicesChanged(microphones.map(({ id }) => id));
      if (this.#speakerId !== null && !speakers.some(({ id }) => id === this.#speakerId)) {
        this.#speakerId = null;
        this.#notify('speaker_unplugged');
        // A browser that refuses this has no speaker left.
        this.#live?.room.switchActiveDevice('audiooutput', 'default').catch(() => undefined);
      }
    }
    this.#changed();
  }

  #notify(notice: NonNullable<BrowserRoomSnapshot['notice']>): void {
    this.#notice = notice;
    this.#changed();
  }

  #dismiss(notice: NonNullable<BrowserRoomSnapshot['notice']>): void {
    if (this.#notice === notice) this.#notice = null;
    this.#changed();
  }

  #changed(): void {
    this.#snapshot = undefined;
    const room = this.#live?.room;
    this.#levels.keep(
      room ? [room.localParticipant.identity, ...room.remoteParticipants.keys()] : [],
    );
    this.#listeners.notify();
  }
}

function hasSound({ remoteParticipants }: SdkRoom): boolean {
  return [...remoteParticipants.values()].some(({ audioTrackPublications }) =>
    [...audioTrackPublications.values()].some(({ isSubscribed }) => isSubscribed),
  );
}

function trackOf(participant: SdkParticipant): MediaStreamTrack | undefined {
  const [publication] = participant.audioTrackPublications.values();
  return publication?.track?.mediaStreamTrack;
}
