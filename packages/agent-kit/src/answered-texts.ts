import { type Claim, isSameMessage, type RoomMessage, senderOf } from '@session/contract/room';

const REMEMBERED = 1000;

export interface AnsweredText extends Claim {
  readonly id: string;
}

/** The newest answered texts. If two senders use the same id, each of them gets an answer. */
export class AnsweredTexts {
  readonly #answered = new Set<AnsweredText>();

  has(message: RoomMessage): boolean {
    return this.#find(message) !== undefined;
  }

  add(message: RoomMessage): void {
    this.addText(answeredOf(message));
  }

  addText(text: AnsweredText): void {
    this.#answered.add(text);
    const [oldest] = this.#answered;
    if (this.#answered.size > REMEMBERED && oldest) this.#answered.delete(oldest);
  }

  delete(message: RoomMessage): void {
    const found = this.#find(message);
    if (found) this.#answered.delete(found);
  }

  #find(message: RoomMessage): AnsweredText | undefined {
    const text = answeredOf(message);
    return [...this.#answered].find((one) => one.id === text.id && isSameMessage(one, text));
  }
}

function answeredOf({ id, content, metadata: { participant } }: RoomMessage): AnsweredText {
  return { id, content, sender: participant && senderOf(participant.identity) };
}
