import {
  FINAL_ATTRIBUTE,
  INTERRUPTED_ATTRIBUTE,
  type RoomMessage,
  SEGMENT_ATTRIBUTE,
  TRANSCRIPTION_TOPIC,
  TRUNCATED_ATTRIBUTE,
} from '@session/contract/room';
import { answersOf, type JoinedRoom, type TextWriter } from '@session/media/room';
import { v7 as uuidv7 } from 'uuid';

/** What an answer needs of its room. */
export type StreamRoom = Pick<JoinedRoom, 'openText' | 'sid' | 'untilConnected'>;

/** How an answer ended: a person interrupted it, or it broke off. */
export type AnswerMark = 'interrupted' | 'truncated';

const MARKS: Record<AnswerMark, Readonly<Record<string, string>>> = {
  interrupted: { [INTERRUPTED_ATTRIBUTE]: 'true' },
  truncated: { [TRUNCATED_ATTRIBUTE]: 'true' },
};

/** One answer as a text stream of the room. It opens with the first word, and belongs to one room. */
export class AnswerStream {
  readonly #room: StreamRoom;
  /** A UUID, so that the text has the same id in the room and in the history. */
  #attributes: Readonly<Record<string, string>> = {
    [SEGMENT_ATTRIBUTE]: uuidv7(),
    [FINAL_ATTRIBUTE]: 'true',
  };
  readonly #unnamed: Set<RoomMessage>;
  #writer: TextWriter | undefined;
  /** Our stay in the room when the stream opened. */
  #sid = '';
  /** White space before the first word: a stream begins with a word. */
  #leading = '';
  #text = '';
  #isBroken = false;

  /** The stream names the texts of `unnamed`, and removes them there. */
  constructor(room: StreamRoom, unnamed: Set<RoomMessage>) {
    this.#room = room;
    this.#unnamed = unnamed;
  }

  /** Sends the next words. Throws when the room is gone. */
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

  /** Ends the stream, if it is open. Throws when the room is gone. */
  async end(mark?: AnswerMark): Promise<void> {
    await this.#attempt(async () => await this.#writer?.end(mark && MARKS[mark]));
  }

  async #open(): Promise<TextWriter> {
    this.#sid = this.#room.sid;
    const texts = [...this.#unnamed];
    this.#attributes = { ...this.#attributes, ...answersOf(texts) };
    const writer = await this.#room.openText(TRANSCRIPTION_TOPIC, this.#attributes);
    for (const text of texts) this.#unnamed.delete(text);
    return writer;
  }

  /** Whether others received a part of the words, and will not receive the end. */
  get isBroken(): boolean {
    return this.#isBroken && this.#text !== '';
  }

  /**
   * Sends the words once more, into the room that the agent has joined after it lost the former one: under the same id,
   * complete, and marked as broken off. So the history and the clients learn the end of what they have received in part.
   */
  async resend(room: StreamRoom): Promise<void> {
    const writer = await room.openText(TRANSCRIPTION_TOPIC, this.#attributes);
    await writer.write(this.#text);
    await writer.end(MARKS.truncated);
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      // While the connection is away, words would be lost without an error.
      await this.#room.untilConnected();
      if (this.#writer && this.#sid !== this.#room.sid) throw new Error('the stream is broken');
      await work();
    } catch (error) {
      this.#isBroken = true;
      throw error;
    }
  }
}
