import { FINAL_ATTRIBUTE, SEGMENT_ATTRIBUTE, TRANSCRIPTION_TOPIC } from '@session/contract/room';
import type { JoinedRoom, TextWriter } from '@session/media';
import { v7 as uuidv7 } from 'uuid';

export type StreamRoom = Pick<JoinedRoom, 'openText'>;

/** One answer as a text stream of the room. It opens with the first word, and belongs to one room. */
export class AnswerStream {
  readonly #room: StreamRoom;
  #writer: TextWriter | undefined;
  /** White space before the first word: a stream begins with a word. */
  #leading = '';

  constructor(room: StreamRoom) {
    this.#room = room;
  }

  /** Sends the next words. Throws when the room is gone. */
  async write(text: string): Promise<void> {
    const words = this.#writer ? text : (this.#leading + text).trimStart();
    if (!this.#writer && words === '') {
      this.#leading += text;
      return;
    }
    this.#writer ??= await this.#room.openText(TRANSCRIPTION_TOPIC, attributes());
    await this.#writer.write(words);
  }

  async end(): Promise<void> {
    await this.#writer?.end();
  }
}

/** A UUID, so that the text has the same id in the room and in the history. */
function attributes(): Record<string, string> {
  return { [SEGMENT_ATTRIBUTE]: uuidv7(), [FINAL_ATTRIBUTE]: 'true' };
}
