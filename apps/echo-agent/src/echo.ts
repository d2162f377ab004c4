import {
  decode,
  FINAL_ATTRIBUTE,
  type RoomEvent,
  SEGMENT_ATTRIBUTE,
  TRANSCRIPTION_TOPIC,
} from '@session/contract/room';
import { v7 as uuidv7 } from 'uuid';

const IDS_REMEMBERED = 1000;

/** Where an answer is given. */
export interface Speaker {
  sendText(topic: string, text: string, attributes: Record<string, string>): Promise<unknown>;
}

/**
 * Answers each text that a person types, once, in the order of their coming. A client that saw no confirmation sends its
 * message again under the same id: the second is no new question, in a later connection neither.
 */
export class Echo {
  readonly #sessionId: string;
  readonly #say: (line: string) => void;
  readonly #answered = new Set<string>();
  #idle: Promise<void> = Promise.resolve();

  /** `say` gets a line for each answer, without its words. */
  constructor(sessionId: string, say: (line: string) => void) {
    this.#sessionId = sessionId;
    this.#say = say;
  }

  /** Resolves when all that was heard so far is answered. Never rejects. */
  get idle(): Promise<void> {
    return this.#idle;
  }

  /** Takes what happens in the room; `speaker` is where the answer goes. */
  hear(event: RoomEvent, speaker: Speaker): void {
    const decoded = decode(event, { sessionId: this.#sessionId, newId: uuidv7 });
    if (decoded.outcome !== 'record') return;
    const { id, kind, role, status, content } = decoded.message;
    // What agents type has the role assistant. Whoever is not announced yet is no agent of ours: those announce
    // themselves before they speak.
    if (kind !== 'text' || role !== 'user' || status !== 'complete') return;
    if (this.#answered.has(id)) return;
    this.#remember(id);
    this.#idle = this.#idle.then(() => this.#answer(id, content, speaker));
  }

  async #answer(id: string, text: string, speaker: Speaker): Promise<void> {
    // A UUID, so that the answer has the same id in the room and in the history.
    const attributes = { [SEGMENT_ATTRIBUTE]: uuidv7(), [FINAL_ATTRIBUTE]: 'true' };
    try {
      await speaker.sendText(TRANSCRIPTION_TOPIC, `You said: ${text}`, attributes);
      this.#say(`answered message ${id}`);
    } catch (error) {
      // Sent again, it may still be answered.
      this.#answered.delete(id);
      this.#say(`cannot answer message ${id}: ${String(error)}`);
    }
  }

  #remember(id: string): void {
    this.#answered.add(id);
    const [oldest] = this.#answered;
    if (this.#answered.size > IDS_REMEMBERED && oldest !== undefined) this.#answered.delete(oldest);
  }
}
