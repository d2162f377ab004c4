import { type Claim, isSameMessage, type RoomMessage, senderOf } from '@session/contract/room';

const REMEMBERED = 1000;

interface Answered extends Claim {
  readonly id: string;
}

/** The texts that were answered, the newest of them. Two senders may use one id: each of them gets an answer. */
export class AnsweredTexts {
  readonly #answered = new Set<Answered>();

  has(message: RoomMessage): boolean {
    return this.#find(message) !== undefined;
  }

  add(message: RoomMessage): void {
    this.#answered.add(answeredOf(message));
    const [oldest] = this.#answered;
    if (this.#answered.size > REMEMBERED && oldest) this.#answered.delete(oldest);
  }

  delete(message: RoomMessage): void {
    const found = this.#find(message);
    if (found) this.#answered.delete(found);
  }

  #find(message: RoomMessage): Answered | undefined {
    const text = answeredOf(message);
    return [...this.#answered].find((one) => one.id === text.id && isSameMessage(one, text));
  }
}

function answeredOf({ id, content, metadata: { participant } }: RoomMessage): Answered {
  return { id, content, sender: participant && senderOf(participant.identity) };
}
