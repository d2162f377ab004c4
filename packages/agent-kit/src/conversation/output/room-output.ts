import type { RoomMessage } from '@session/contract/room';
import type { AgentEvent, AnswerFigures, TurnOutput } from '@session/conversation';
import { AppError } from '@session/kit';
import type { StateDisplay } from '../agent-state.ts';
import type { ConversingRoom } from '../conversing-room.ts';
import { type AnswerMark, AnswerStream } from './answer-stream.ts';
import { type AskedTimes, turnAttribute } from './turn-attribute.ts';

/**
 * Speaks answers. Passes words to the room's text stream as people hear them, so an interrupted answer contains only what
 * was heard.
 */
export interface Voice {
  /**
   * Begins to speak. `heard` takes the words as people hear them, in order, one call at a time, and throws when the room is
   * gone. A voice without listeners calls it at once.
   */
  readonly begin: (heard: (words: string) => Promise<void>) => Speech;
}

export interface Speech {
  readonly write: (words: string) => Promise<void>;
  /**
   * Called after the last `write`. Resolves when everything has been heard, or the speech was stopped. Throws as `heard`
   * does.
   */
  readonly end: () => Promise<void>;
  /** Stops the voice at once. After it resolves, `heard` is not called again. May be called at any time. */
  readonly stop: () => Promise<void>;
}

export const WRITING: Voice = {
  begin: (heard) => ({ write: heard, end: async () => {}, stop: async () => {} }),
};

export interface Delivery {
  readonly said: string;
  readonly heard: string;
  readonly firstWordsAt: number | undefined;
}

interface Saying {
  readonly stream: AnswerStream;
  readonly speech: Speech;
  delivery: Delivery;
}

interface MeasuredTurn {
  readonly figures: AnswerFigures;
  readonly times: AskedTimes;
}

const NOTHING: Delivery = { said: '', heard: '', firstWordsAt: undefined };

export function isCut({ said, heard }: Delivery): boolean {
  return heard.trim() !== said.trim();
}

/**
 * Sends the output of turns: answers as text streams at the voice's pace, notices as answers, events as packets. An event
 * that cannot be sent waits for the next connection, because the plan has already changed.
 */
export class RoomOutput {
  readonly #voice: Voice;
  readonly #state: StateDisplay;
  readonly #log: (line: string) => void;
  readonly #unsent: AgentEvent[] = [];
  readonly #unnamedTexts = new Set<RoomMessage>();
  #room: ConversingRoom | undefined;
  #saying: Saying | undefined;
  #answer: Saying | undefined;
  #broken: AnswerStream | undefined;
  #sending: Promise<void> = Promise.resolve();
  #mending: Promise<void> = Promise.resolve();
  #earlier: Promise<unknown> = Promise.resolve();

  constructor(voice: Voice, state: StateDisplay, log: (line: string) => void) {
    this.#voice = voice;
    this.#state = state;
    this.#log = log;
  }

  use(room: ConversingRoom): void {
    this.#room = room;
    void this.#mend();
    void this.sendEvents([]);
  }

  /** Delays all later output until `earlier`, which precedes it in the history, has settled. */
  sendAfter(earlier: Promise<unknown>): void {
    this.#earlier = this.#earlier.then(() => earlier).catch(() => {});
  }

  noteAnswered(texts: readonly RoomMessage[]): void {
    for (const text of texts) this.#unnamedTexts.add(text);
  }

  /**
   * Sends an output. After the last words, resolves when people have heard them. Throws when words cannot be sent, because
   * the rest would make no sense. `times` are those of the turn, for its figures.
   */
  async send(output: TurnOutput, times?: AskedTimes): Promise<void> {
    await this.#earlier;
    if (output.type === 'text') await this.#write(output.text);
    if (output.type === 'event') await this.sendEvents([output.event]);
    if (output.type === 'answered') {
      const { ending, figures } = output;
      await this.#end(
        ending === 'whole' ? undefined : ending,
        figures && times && { figures, times },
      );
    }
    if (output.type === 'notice') await this.#notify(output.text);
    // A blank answer is never `answered`. The next one must not continue its speech, which may have been stopped.
    if (output.type === 'end') await this.#end();
  }

  async silence(): Promise<void> {
    await this.#saying?.speech.stop().catch(this.#report('silencing voice'));
  }

  async sendEvents(events: readonly AgentEvent[]): Promise<void> {
    // An event that is reported again is queued once.
    this.#unsent.push(...events.filter((event) => !this.#unsent.includes(event)));
    // A turn and a new connection may send at the same time. Two loops would send events twice, or drop one.
    this.#sending = this.#sending.then(() => this.#sendUnsent());
    await this.#sending;
  }

  async abandon(): Promise<void> {
    await this.silence();
    const stream = this.#saying?.stream;
    this.#saying = undefined;
    if (!stream) return;
    await stream.end('truncated').catch(() => {});
    if (!stream.isBroken) return;
    this.#broken = stream;
    await this.#mend();
  }

  get isSaying(): boolean {
    return this.#answer !== undefined && this.#answer.delivery.said.trim() !== '';
  }

  takeDelivery(): Delivery {
    const { delivery = NOTHING } = this.#answer ?? {};
    this.#answer = undefined;
    return delivery;
  }

  async #mend(): Promise<void> {
    // A failing turn and a new connection may call this at the same time. The answer is sent again only once.
    this.#mending = this.#mending.then(() => this.#resendBroken());
    await this.#mending;
  }

  async #resendBroken(): Promise<void> {
    const broken = this.#broken;
    if (!broken || !this.#room) return;
    try {
      await broken.resend(this.#room);
      this.#broken = undefined;
    } catch (error) {
      this.#report('marking broken answer')(error);
    }
  }

  async #sendUnsent(): Promise<void> {
    for (let event = this.#unsent[0]; event && this.#room; event = this.#unsent[0]) {
      try {
        await this.#room.untilConnected();
        await this.#room.sendPacket({ ...event });
      } catch (error) {
        this.#report(`sending ${event.type}`)(error);
        // An event that is too large for a packet can never be sent, and would hold back all later ones.
        if (!(error instanceof RangeError)) return;
      }
      this.#unsent.shift();
    }
  }

  async #write(text: string): Promise<void> {
    this.#saying ??= this.#begin();
    this.#answer = this.#saying;
    await say(this.#saying, text);
  }

  async #notify(text: string): Promise<void> {
    this.#saying = this.#begin();
    await say(this.#saying, text);
    await this.#end();
  }

  #begin(): Saying {
    if (!this.#room) throw new AppError('media_unavailable', 'the agent is not in a room');
    const stream = new AnswerStream(this.#room, this.#unnamedTexts);
    const speech = this.#voice.begin(async (words) => {
      await stream.write(words);
      const { heard, firstWordsAt = performance.now(), said } = saying.delivery;
      saying.delivery = { said, heard: heard + words, firstWordsAt };
      this.#state.show('speaking');
    });
    const saying: Saying = { stream, speech, delivery: NOTHING };
    return saying;
  }

  async #end(mark?: AnswerMark, turn?: MeasuredTurn): Promise<void> {
    if (!this.#saying) return;
    const { stream, speech } = this.#saying;
    await speech.end();
    const { delivery } = this.#saying;
    const attributes = turn && turnAttribute(turn.figures, delivery.firstWordsAt, turn.times);
    await stream.end(isCut(delivery) ? 'interrupted' : mark, attributes);
    this.#saying = undefined;
  }

  #report(work: string): (error: unknown) => void {
    return (error) => this.#log(`${work} failed: ${String(error)}`);
  }
}

async function say(saying: Saying, text: string): Promise<void> {
  saying.delivery = { ...saying.delivery, said: saying.delivery.said + text };
  await saying.speech.write(text);
}
