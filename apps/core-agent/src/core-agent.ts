import type { RoomAgent } from '@session/agent-kit';
import {
  type ConversingAgent,
  HEARING_ATTRIBUTE,
  hasHearing,
  isNamedOnly,
  showsHearing,
  wholeNumbers,
} from '@session/agent-kit/conversation';
import {
  FINAL_ATTRIBUTE,
  isAgent,
  type RoomEvent,
  SEGMENT_ATTRIBUTE,
  TRACK_ATTRIBUTE,
  TRANSCRIPTION_TOPIC,
} from '@session/contract/room';
import { pause, withDeadline } from '@session/kit';
import type { JoinedRoom } from '@session/media/room';
import { v7 as uuidv7 } from 'uuid';
import type { HeardWords } from './hearing/person-listener.ts';
import type { RoomHearing } from './hearing/room-hearing.ts';
import type { RoomVoice } from './speaking/room-voice.ts';

const TRANSCRIPT_TIMEOUT_MS = 500;
/**
 * How long others take to receive a text stream or an attribute. A packet that is sent right after a stream may
 * overtake the stream.
 */
const ARRIVAL_MS = 200;

export interface CoreAgentParts {
  readonly conversing: ConversingAgent;
  readonly hearing: RoomHearing | undefined;
  readonly voice: RoomVoice | undefined;
  readonly owned: AsyncDisposable;
  readonly log: (line: string) => void;
}

export class CoreAgent implements RoomAgent {
  readonly readsTexts = true;
  readonly hearAudio: RoomAgent['hearAudio'];
  readonly #parts: CoreAgentParts;
  #room: JoinedRoom | undefined;
  #hears: boolean;
  #othersShown: Promise<void> | undefined;
  /** The last transcript that another agent wrote in the name of `identity`. `receivedAt` is by `performance`. */
  #transcript:
    | { readonly identity: string; readonly trackSid: string; readonly receivedAt: number }
    | undefined;

  constructor(parts: CoreAgentParts) {
    this.#parts = parts;
    const { hearing } = parts;
    this.hearAudio = hearing && ((audio) => hearing.hear(audio));
    this.#hears = hearing !== undefined;
  }

  get done(): Promise<void> {
    return this.#parts.conversing.done;
  }

  get isHearing(): boolean {
    return this.#hears;
  }

  joined(room: JoinedRoom): void {
    const { voice, hearing, conversing } = this.#parts;
    this.#room = room;
    voice?.use(room);
    if (hearing) void this.#showHearing(room);
    conversing.joined(room);
  }

  hears(isHearing: boolean): void {
    if (this.#hears === isHearing) return;
    this.#hears = isHearing;
    if (this.#room) void this.#showHearing(this.#room);
  }

  receive(event: RoomEvent): void {
    const { voice, conversing } = this.#parts;
    this.#noteTranscript(event);
    voice?.receive(event);
    conversing.receive(event);
  }

  async finish(): Promise<void> {
    await this.#parts.conversing.finish();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { conversing, voice, owned } = this.#parts;
    await conversing[Symbol.asyncDispose]();
    await voice?.close();
    await owned[Symbol.asyncDispose]();
  }

  /**
   * Answers a person's words. If this agent writes transcripts, it first sends the words into the room in that person's name,
   * because the history is in the order of receipt.
   */
  async said(words: HeardWords): Promise<void> {
    const { conversing, log } = this.#parts;
    const { participant, text, talkedOver, endOfTurnMs, transcribedMs } = words;
    log(JSON.stringify({ heard: { endOfTurnMs, transcribedMs } }, wholeNumbers));
    const saidAt = performance.now() - transcribedMs;
    // Interrupts even if another agent answers, because this agent was talked over and has fallen silent.
    if (talkedOver) conversing.interrupt();
    const isRecovering = !this.#hears || this.#othersShown !== undefined;
    await this.#recover();
    // Another agent that heard the words may have written them, because it had not yet seen that this one hears again.
    const isWritten = isRecovering && this.#isTranscribed(words, saidAt);
    const written = isWritten ? Promise.resolve() : this.#writeTranscript(words);
    const { name: speaker, identity } = participant;
    conversing.hear({ text, speaker, identity }, written, saidAt);
    await written;
  }

  /**
   * If this agent and all others that may answer had lost their hearing, words prove that this agent hears again. It shows
   * this, and waits for the others to show whether they hear again, so that only one answers. Words that arrive meanwhile
   * wait too, in order.
   */
  async #recover(): Promise<void> {
    const rivals = this.#rivals;
    if (!this.#hears && !rivals.some(showsHearing)) {
      this.hears(true);
      if (rivals.length > 0) this.#othersShown ??= this.#awaitOthers();
    }
    await this.#othersShown;
  }

  async #awaitOthers(): Promise<void> {
    await arrival();
    this.#othersShown = undefined;
  }

  /** Ignores transcripts that people send themselves, because they could keep a person's words out of the history. */
  #noteTranscript(event: RoomEvent): void {
    if (event.type !== 'text_stream' || !event.transcribers) return;
    const { identity } = event.sender;
    const { [TRACK_ATTRIBUTE]: trackSid, [FINAL_ATTRIBUTE]: final } = event.attributes;
    if (trackSid && final === 'true')
      this.#transcript = { identity, trackSid, receivedAt: performance.now() };
  }

  #isTranscribed({ participant, trackSid }: HeardWords, since: number): boolean {
    const last = this.#transcript;
    const isOfTrack = last?.identity === participant.identity && last.trackSid === trackSid;
    return isOfTrack && last.receivedAt >= since;
  }

  async #writeTranscript({ participant, trackSid, text }: HeardWords): Promise<void> {
    if (!this.#room || !this.#writesTranscripts) return;
    const attributes = {
      [SEGMENT_ATTRIBUTE]: uuidv7(),
      [FINAL_ATTRIBUTE]: 'true',
      [TRACK_ATTRIBUTE]: trackSid,
    };
    const { identity } = participant;
    try {
      const sent = this.#room.sendTextOf(identity, TRANSCRIPTION_TOPIC, text, attributes);
      await withDeadline(sent, TRANSCRIPT_TIMEOUT_MS);
      await arrival();
    } catch (error) {
      this.#parts.log(`sending transcript failed: ${String(error)}`);
    }
  }

  get #others(): JoinedRoom['participants'] {
    return this.#room?.participants.filter(isAgent) ?? [];
  }

  /**
   * The agents with hearing that may answer or write in place of this one. Agents that only answer to their name leave most
   * words unanswered, so they count only if there are no others.
   */
  get #rivals(): JoinedRoom['participants'] {
    const others = this.#others.filter(hasHearing);
    const rivals = others.filter((one) => !isNamedOnly(one));
    return rivals.length > 0 ? rivals : others;
  }

  /**
   * Whether this agent writes transcripts. Of several agents that hear, only the one with the lowest identity does, so that
   * the history has each transcript once. If no agent hears, the lowest identity of all agents with hearing decides.
   */
  get #writesTranscripts(): boolean {
    const { identity: own = '' } = this.#room ?? {};
    const hearing = this.#others.filter(showsHearing);
    if (!this.#hears && hearing.length > 0) return false;
    const writers = this.#hears ? hearing : this.#others.filter(hasHearing);
    return !writers.some(({ identity }) => identity < own);
  }

  async #showHearing(room: JoinedRoom): Promise<void> {
    try {
      await room.setAttributes({ [HEARING_ATTRIBUTE]: String(this.#hears) });
    } catch (error) {
      this.#parts.log(`setting ${HEARING_ATTRIBUTE} failed: ${String(error)}`);
    }
  }
}

async function arrival(): Promise<void> {
  await pause(ARRIVAL_MS, new AbortController().signal);
}
