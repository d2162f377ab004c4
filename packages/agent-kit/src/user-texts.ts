import { decode, type RoomEvent, type RoomMessage, senderOf } from '@session/contract/room';
import { v7 as uuidv7 } from 'uuid';
import { AnsweredTexts } from './answered-texts.ts';

/** A text that was answered before the agent started. An unknown sender has no identity. */
export interface EarlierText {
  readonly id: string;
  readonly identity: string | null;
  readonly content: string;
}

/**
 * The texts of people in one room. A client that saw no confirmation sends its message again under the same id: an agent
 * takes each text once, also after it has reconnected, and also when the API sends the text again, without a sender.
 */
export class UserTexts {
  readonly #sessionId: string;
  readonly #answered = new AnsweredTexts();

  /** `earlier` are texts that count as answered. */
  constructor(sessionId: string, earlier: readonly EarlierText[] = []) {
    this.#sessionId = sessionId;
    for (const { id, identity, content } of earlier) {
      this.#answered.addText({
        id,
        content,
        sender: identity === null ? null : senderOf(identity),
      });
    }
  }

  /** Returns the text that an event brings, or undefined when it brings none that an agent answers now. */
  take(event: RoomEvent): RoomMessage | undefined {
    const decoded = decode(event, { sessionId: this.#sessionId, newId: uuidv7 });
    if (decoded.outcome !== 'store') return undefined;
    const { message } = decoded;
    const { kind, role, status } = message;
    // Texts of agents have the role assistant. A sender that is not announced yet counts as a person: our agents
    // announce themselves before they send anything.
    if (kind !== 'text' || role !== 'user' || status !== 'complete') return undefined;
    if (this.#answered.has(message)) return undefined;
    this.#answered.add(message);
    return message;
  }

  /** Forgets a text whose answer failed: it may be answered when the client sends it again. */
  forget(message: RoomMessage): void {
    this.#answered.delete(message);
  }
}
