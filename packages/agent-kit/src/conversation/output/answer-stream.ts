import {
  FINAL_ATTRIBUTE,
  INTERRUPTED_ATTRIBUTE,
  type RoomMessage,
  SEGMENT_ATTRIBUTE,
  TRANSCRIPTION_TOPIC,
  TRUNCATED_ATTRIBUTE,
} from '@session/contract/room';
import { answersOf, type TextWriter } from '@session/media/room';
import { v7 as uuidv7 } from 'uuid';
import type { ConversingRoom } from '../conversing-room.ts';

export type AnswerMark = 'interrupted' | 'truncated';

const MARKS: Record<AnswerMark, Readonly<Record<string, string>>> = {
  interrupted: { [INTERRUPTED_ATTRIBUTE]: 'true' },
  truncated: { [TRUNCATED_ATTRIBUTE]: 'true' },
};

export class AnswerStream {
  readonly #room: ConversingRoom;
  #attributes: Readonly<Record<string, string>> = {
    [SEGMENT_ATTRIBUTE]: uuidv7(),
    [FINAL_ATTRIBUTE]: 'true',
  };
  readonly #unnamed: Set<RoomMessage>;
  #writer: TextWriter | undefined;
  #sid = '';
  #leading = '';
  #text = '';
  #isBroken = false;

  constructor(room: ConversingRoom, unnamed: Set<RoomMessage>) {
    this.#room = room;
    this.#unnamed = unnamed;
  }

  async write(text: string): Promise<void> {
    const words = this.#writer ? text : (this.#leading + text).trimStart();
    if (!this.#writer && words === '') {
      this.#leading += text;
      return;
    }
    await this.#attempt(async () => {
      this.#writer ??= await this.#open();
      await this.#writer.write(words);
    });
    this.#text += words;
  }

  async end(mark?: AnswerMark, turn?: Readonly<Record<string, string>>): Promise<void> {
    const trailer = (mark ?? turn) && { ...turn, ...(mark && MARKS[mark]) };
    await this.#attempt(async () => await this.#writer?.end(trailer));
  }

  async #open(): Promise<TextWriter> {
    this.#sid = this.#room.sid;
    const texts = [...this.#unnamed];
    this.#attributes = { ...this.#attributes, ...answersOf(texts) };
    const writer = await this.#room.openText(TRANSCRIPTION_TOPIC, this.#attributes);
    for (const text of texts) this.#unnamed.delete(text);
    return writer;
  }

  get isBroken(): boolean {
    return this.#isBroken && this.#text !== '';
  }

  /** Sends all words so far again into the next room, under the same id and marked as broken off. */
  async resend(room: ConversingRoom): Promise<void> {
    const writer = await room.openText(TRANSCRIPTION_TOPIC, this.#attributes);
    await writer.write(this.#text);
    await writer.end(MARKS.truncated);
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      // Without a connection, words would be lost without an error.
      await this.#room.untilConnected();
      if (this.#writer && this.#sid !== this.#room.sid) throw new Error('the stream is broken');
      await work();
    } catch (error) {
      this.#isBroken = true;
      throw error;
    }
  }
}
