import type { AgentEvent, TurnOutput, TurnRecord } from '@session/conversation';
import { AppError } from '@session/kit';
import type { JoinedRoom } from '@session/media';
import { AnswerStream, type StreamRoom } from './answer-stream.ts';
import type { Speech, Voice } from './voice.ts';

/** What an output needs of its room. */
export type OutputRoom = StreamRoom & Pick<JoinedRoom, 'sendPacket'>;

/** An answer on its way to the room. */
interface Answer {
  readonly stream: AnswerStream;
  readonly speech: Speech;
}

/**
 * Sends what turns bring into the agent's room: words as one text stream for each answer, in the time of the agent's voice;
 * notices as answers of their own; events as packets. An event that cannot be sent waits for the next connection,
 * because the plan has changed already.
 */
export class RoomOutput {
  readonly #voice: Voice;
  readonly #log: (line: string) => void;
  readonly #unsent: AgentEvent[] = [];
  #room: OutputRoom | undefined;
  #answer: Answer | undefined;
  #sending: Promise<void> = Promise.resolve();
  #heard = '';

  /** `log` receives a line for each turn and each failure, without the text. */
  constructor(voice: Voice, log: (line: string) => void) {
    this.#voice = voice;
    this.#log = log;
  }

  /** Sends into `room` from now on. An answer that began in another room cannot go on: its next words throw. */
  use(room: OutputRoom): void {
    this.#room = room;
  }

  /**
   * Sends an output of a turn. Resolves after the last words when they are heard. Throws when words cannot be sent: the
   * rest of the answer then makes no sense.
   */
  async send(output: TurnOutput): Promise<void> {
    if (output.type === 'text') await this.#write(output.text);
    if (output.type === 'event') await this.sendEvents([output.event]);
    if (output.type === 'notice') await this.#notify(output.text);
    if (output.type === 'end') {
      this.#logTurn(output.record);
      await this.#end();
    }
  }

  /** Returns the words of answers, but for notices, that were heard since the last call. */
  takeHeard(): string {
    const heard = this.#heard;
    this.#heard = '';
    return heard;
  }

  /** Silences the voice. The words that were heard stay. */
  async silence(): Promise<void> {
    await this.#answer?.speech.stop();
  }

  /** Sends events, after those that could not be sent before. */
  async sendEvents(events: readonly AgentEvent[]): Promise<void> {
    this.#unsent.push(...events);
    // A turn and a new connection may send at the same time: two loops would send events twice, or drop one.
    this.#sending = this.#sending.then(() => this.#sendUnsent());
    await this.#sending;
  }

  /** Ends the text of a turn that was given up. Never throws. */
  async abandon(): Promise<void> {
    await this.silence().catch(() => {});
    await this.#end().catch(() => {});
  }

  /** Never throws. */
  async #sendUnsent(): Promise<void> {
    for (let event = this.#unsent[0]; event; event = this.#unsent[0]) {
      try {
        await this.#room?.sendPacket({ ...event });
      } catch (error) {
        this.#log(`cannot send ${event.type}: ${String(error)}`);
        return;
      }
      this.#unsent.shift();
    }
  }

  async #write(text: string): Promise<void> {
    this.#answer ??= this.#begin((words) => {
      this.#heard += words;
    });
    await this.#answer.speech.write(text);
  }

  #begin(heard: (words: string) => void): Answer {
    if (!this.#room) throw new AppError('media_unavailable', 'the agent is in no room');
    const stream = new AnswerStream(this.#room);
    const speech = this.#voice.begin(async (words) => {
      await stream.write(words);
      heard(words);
    });
    this.#answer = { stream, speech };
    return this.#answer;
  }

  async #notify(text: string): Promise<void> {
    await this.#end();
    const { speech } = this.#begin(() => {});
    await speech.write(text);
    await this.#end();
  }

  async #end(): Promise<void> {
    const answer = this.#answer;
    try {
      await answer?.speech.end();
    } finally {
      this.#answer = undefined;
      await answer?.stream.end();
    }
  }

  #logTurn(record: TurnRecord): void {
    this.#log(JSON.stringify({ turn: record }, rounded));
  }
}

/** Times have fractions, which a log does not need. */
function rounded(_name: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value) : value;
}
