import { type RoomAgent, UserTexts } from '@session/agent-kit';
import {
  FINAL_ATTRIBUTE,
  type RoomEvent,
  type RoomMessage,
  SEGMENT_ATTRIBUTE,
  TRANSCRIPTION_TOPIC,
} from '@session/contract/room';
import { answersOf } from '@session/media/room';
import { v7 as uuidv7 } from 'uuid';

export interface AnswerSender {
  sendText(topic: string, text: string, attributes: Record<string, string>): Promise<unknown>;
}

/** Answers each typed text once, in order of arrival. The agent never leaves by itself. */
export class Echo implements RoomAgent {
  readonly readsTexts = true;
  readonly #log: (line: string) => void;
  readonly #texts: UserTexts;
  readonly #done = Promise.withResolvers<void>();
  #idle: Promise<void> = Promise.resolve();

  constructor(sessionId: string, log: (line: string) => void) {
    this.#texts = new UserTexts(sessionId);
    this.#log = log;
  }

  get done(): Promise<void> {
    return this.#done.promise;
  }

  joined(): void {
    // Answers go through the connection that brought the text.
  }

  receive(event: RoomEvent, sender: AnswerSender): void {
    const message = this.#texts.take(event);
    if (message) this.#idle = this.#idle.then(() => this.#answer(message, sender));
  }

  /** Resolves when all texts received so far are answered. Never rejects. */
  async finish(): Promise<void> {
    await this.#idle;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Nothing needs closing. A pending answer that a frozen server delays must not delay the end.
  }

  async #answer(message: RoomMessage, sender: AnswerSender): Promise<void> {
    const { id, content: text } = message;
    // A UUID, so that the answer has the same id in the room and in the history.
    const marks = { [SEGMENT_ATTRIBUTE]: uuidv7(), [FINAL_ATTRIBUTE]: 'true' };
    const attributes = { ...marks, ...answersOf([message]) };
    try {
      await sender.sendText(TRANSCRIPTION_TOPIC, `You said: ${text}`, attributes);
      this.#log(`answered message ${id}`);
    } catch (error) {
      this.#texts.forget(message);
      this.#log(`answering message ${id} failed: ${String(error)}`);
    }
  }
}
