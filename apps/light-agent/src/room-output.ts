import { FINAL_ATTRIBUTE, SEGMENT_ATTRIBUTE, TRANSCRIPTION_TOPIC } from '@session/contract/room';
import type { AgentEvent, TurnOutput, TurnRecord } from '@session/conversation';
import type { JoinedRoom, TextWriter } from '@session/media';
import { v7 as uuidv7 } from 'uuid';

/** What an output needs of its room. */
export type OutputRoom = Pick<JoinedRoom, 'openText' | 'sendPacket' | 'sendText'>;

/**
 * Sends what turns bring into the agent's room: words as one text stream for each answer, notices as texts of their own,
 * events as packets. An event that cannot be sent waits for the next connection, because the plan has changed already.
 */
export class RoomOutput {
  readonly #log: (line: string) => void;
  readonly #unsent: AgentEvent[] = [];
  #room: OutputRoom | undefined;
  #writer: TextWriter | undefined;
  /** White space before the first word: a stream begins with a word. */
  #leading = '';
  #sending: Promise<void> = Promise.resolve();

  /** `log` receives a line for each turn and each failure, without the text. */
  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  /** Sends into `room` from now on. An answer that began in another room cannot go on: its next words throw. */
  use(room: OutputRoom): void {
    this.#room = room;
  }

  /** Sends an output of a turn. Throws when words cannot be sent: the rest of the answer then makes no sense. */
  async send(output: TurnOutput): Promise<void> {
    if (output.type === 'text') await this.#write(output.text);
    if (output.type === 'event') await this.sendEvents([output.event]);
    if (output.type === 'notice') await this.#notify(output.text);
    if (output.type === 'end') {
      this.#logTurn(output.record);
      await this.#end();
    }
  }

  /** Sends events, after those that could not be sent before. */
  async sendEvents(events: readonly AgentEvent[]): Promise<void> {
    this.#unsent.push(...events);
    // A turn and a new connection may send at the same time: two loops would send events twice, or drop one.
    this.#sending = this.#sending.then(() => this.#sendUnsent());
    await this.#sending;
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

  /** Ends the text of a turn that was given up. */
  async abandon(): Promise<void> {
    await this.#end().catch(() => {});
  }

  async #write(text: string): Promise<void> {
    const words = this.#writer ? text : (this.#leading + text).trimStart();
    if (!this.#writer && words === '') {
      this.#leading += text;
      return;
    }
    this.#writer ??= await this.#room?.openText(TRANSCRIPTION_TOPIC, attributes());
    await this.#writer?.write(words);
  }

  async #notify(text: string): Promise<void> {
    await this.#end();
    await this.#room?.sendText(TRANSCRIPTION_TOPIC, text, attributes());
  }

  async #end(): Promise<void> {
    const writer = this.#writer;
    this.#writer = undefined;
    this.#leading = '';
    await writer?.end();
  }

  #logTurn(record: TurnRecord): void {
    this.#log(JSON.stringify({ turn: record }, rounded));
  }
}

/** A UUID, so that the text has the same id in the room and in the history. */
function attributes(): Record<string, string> {
  return { [SEGMENT_ATTRIBUTE]: uuidv7(), [FINAL_ATTRIBUTE]: 'true' };
}

/** Times have fractions, which a log does not need. */
function rounded(_name: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value) : value;
}
