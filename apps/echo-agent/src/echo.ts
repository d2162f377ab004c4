import {
  decode,
  FINAL_ATTRIBUTE,
  type RoomEvent,
  type RoomMessage,
  SEGMENT_ATTRIBUTE,
  TRANSCRIPTION_TOPIC,
} from '@session/contract/room';
import { v7 as uuidv7 } from 'uuid';
import { AnsweredTexts } from './answered-texts.ts';

/** The connection through which an answer is sent. */
export interface AnswerSender {
  sendText(topic: string, text: string, attributes: Record<string, string>): Promise<unknown>;
}

/**
 * Answers each text that a person types once, in order of arrival. A client that saw no confirmation sends its message
 * again under the same id: the repetition gets no second answer, not even after the agent has reconnected, and not when the
 * API sends it, without a sender.
 */
export class Echo {
  readonly #sessionId: string;
  readonly #log: (line: string) => void;
  readonly #answered = new AnsweredTexts();
  #idle: Promise<void> = Promise.resolve();

  /** `log` receives a line for each answer, without the text. */
  constructor(sessionId: string, log: (line: string) => void) {
    this.#sessionId = sessionId;
    this.#log = log;
  }

  /** Resolves when all texts received so far are answered. Never rejects. */
  get idle(): Promise<void> {
    return this.#idle;
  }

  /** Receives a room event. The answer, if there is one, is sent through `sender`. */
  receive(event: RoomEvent, sender: AnswerSender): void {
    const decoded = decode(event, { sessionId: this.#sessionId, newId: uuidv7 });
    if (decoded.outcome !== 'store') return;
    const { message } = decoded;
    const { kind, role, status } = message;
    // Texts of agents have the role assistant. A sender that is not announced yet counts as a person: our agents
    // announce themselves before they send anything.
    if (kind !== 'text' || role !== 'user' || status !== 'complete') return;
    if (this.#answered.has(message)) return;
    this.#answered.add(message);
    this.#idle = this.#idle.then(() => this.#answer(message, sender));
  }

  async #answer(message: RoomMessage, sender: AnswerSender): Promise<void> {
    const { id, content: text } = message;
    // A UUID, so that the answer has the same id in the room and in the history.
    const attributes = { [SEGMENT_ATTRIBUTE]: uuidv7(), [FINAL_ATTRIBUTE]: 'true' };
    try {
      await sender.sendText(TRANSCRIPTION_TOPIC, `You said: ${text}`, attributes);
      this.#log(`answered message ${id}`);
    } catch (error) {
      // The text may still be answered when the client sends it again.
      this.#answered.delete(message);
      this.#log(`cannot answer message ${id}: ${String(error)}`);
    }
  }
}
