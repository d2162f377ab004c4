import type { Speech, Voice } from '@session/agent-kit/conversation';
import { isAgent, type RoomEvent } from '@session/contract/room';
import { pause } from '@session/kit';
import type { JoinedRoom, VoiceTrack } from '@session/media/room';
import { SpokenAnswer, type SpokenTextOf } from './spoken-answer.ts';
import { SPEECH_RATE } from './synthesizer.ts';

/** An answer waits for a listener until the track is this old. People's clients subscribe within some 100 ms. */
const LISTENER_MS = 1500;
const POLL_MS = 20;

type VoiceRoom = Pick<JoinedRoom, 'connection' | 'openVoice' | 'participants' | 'untilConnected'>;

export interface RoomVoiceOptions {
  readonly synthesize: (text: string, signal: AbortSignal) => AsyncIterable<Int16Array>;
  readonly openSpokenText: () => SpokenTextOf;
  readonly isWorking: () => boolean;
  readonly failed: (error: unknown) => void;
  readonly log: (line: string) => void;
}

/**
 * The agent's voice in a room. It has a track while a person is there, and speaks once a participant listens. Otherwise,
 * answers are only written. An answer keeps its track until it is over. When the last person leaves, the rest of the
 * answer is written.
 */
export class RoomVoice implements Voice {
  readonly #options: RoomVoiceOptions;
  readonly #closing = new AbortController();
  #room: VoiceRoom | undefined;
  #track: VoiceTrack | undefined;
  /** The room with the track. After a reconnect to the same room, the media client publishes the track again. */
  #trackRoom: VoiceRoom | undefined;
  #publishedAt = 0;
  /** True if the participant that listened may have left. Only a new track shows whether it has. */
  #isDoubtful = false;
  #changes: Promise<void> = Promise.resolve();
  #answer: SpokenAnswer | undefined;

  constructor(options: RoomVoiceOptions) {
    this.#options = options;
  }

  use(room: VoiceRoom): void {
    this.#room = room;
    this.#look();
  }

  receive(event: RoomEvent): void {
    if (event.type !== 'participant_joined' && event.type !== 'participant_left') return;
    const hasLeft = event.type === 'participant_left';
    // This leave may be false: the media client reports one for each participant before it shows that it reconnects.
    if (hasLeft && event.reason === null) return;
    this.#isDoubtful ||= hasLeft && !isAgent(event.participant);
    this.#look();
  }

  begin(heard: (words: string) => Promise<void>): Speech {
    const { synthesize, openSpokenText, failed, log } = this.#options;
    const answer = new SpokenAnswer({
      track: this.#findListenedTrack(),
      heard,
      spokenOf: openSpokenText(),
      synthesize,
      failed,
      firstSound: (afterMs) => log(JSON.stringify({ firstSoundMs: Math.round(afterMs) })),
    });
    this.#answer = answer;
    void this.#lookAfter(answer);
    return answer;
  }

  get isSounding(): boolean {
    return this.#answer?.isSounding ?? false;
  }

  hold(holder: object): void {
    this.#answer?.hold(holder);
  }

  resume(holder: object): void {
    this.#answer?.resume(holder);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#answer?.stop();
    await this.#changes;
  }

  async #lookAfter({ over }: SpokenAnswer): Promise<void> {
    await over;
    if (this.#isDoubtful) this.#look();
  }

  #look(): void {
    this.#changes = this.#changed(this.#changes, this.#room);
  }

  async #changed(before: Promise<void>, room: VoiceRoom | undefined): Promise<void> {
    await before;
    try {
      if (room && room === this.#room) await this.#followPeople(room);
    } catch (error) {
      this.#options.log(`changing audio track failed: ${String(error)}`);
    }
  }

  async #followPeople(room: VoiceRoom): Promise<void> {
    await room.untilConnected();
    // While the agent is outside the room, it sees nobody in it.
    if (room.connection === undefined) return;
    const hasPeople = room.participants.some((one) => !isAgent(one));
    if (!hasPeople) this.#answer?.mute();
    const isAnswering = this.#answer?.isOver === false;
    const isStale = this.#trackRoom !== room || (this.#isDoubtful && !isAnswering);
    if (this.#track && (!hasPeople || isStale)) {
      const track = this.#track;
      this.#track = undefined;
      await track.close();
    }
    if (hasPeople && !this.#track) {
      this.#track = await room.openVoice(SPEECH_RATE);
      this.#trackRoom = room;
      this.#isDoubtful = false;
      this.#publishedAt = performance.now();
    }
  }

  async #findListenedTrack(): Promise<VoiceTrack | undefined> {
    if (!this.#options.isWorking()) return undefined;
    // Retries a change that failed.
    this.#look();
    await this.#changes;
    const isListened = () => this.#track?.isHeard ?? false;
    const isNew = () => performance.now() - this.#publishedAt < LISTENER_MS;
    while (this.#track && !isListened() && isNew()) {
      if (!(await pause(POLL_MS, this.#closing.signal))) break;
    }
    return isListened() ? this.#track : undefined;
  }
}
