import {
  decode,
  isFields,
  messageIdOf,
  type RoomEvent,
  type RoomMessage,
  senderOf,
} from '@session/contract/room';
import { v7 as uuidv7 } from 'uuid';
import { AnsweredTexts } from './answered-texts.ts';

/** More than people write in the seconds in which the API sends texts again. */
const NAMELESS = 100;

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
  /** The contents of the texts that the API would send again under another id: the newest of them. */
  readonly #nameless: string[] = [];

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
    if (isResent(event)) return this.#isTakenNameless(message) ? undefined : message;
    if (isNameless(message)) this.#remember(message.content);
    return message;
  }

  /** Whether a text that is sent again came before under another id. It counts once. */
  #isTakenNameless({ content }: RoomMessage): boolean {
    const index = this.#nameless.indexOf(content);
    if (index >= 0) this.#nameless.splice(index, 1);
    return index >= 0;
  }

  #remember(content: string): void {
    this.#nameless.push(content);
    if (this.#nameless.length > NAMELESS) this.#nameless.shift();
  }

  /** Forgets a text whose answer failed: it may be answered when the client sends it again. */
  forget(message: RoomMessage): void {
    this.#answered.delete(message);
  }
}

/** Whether no packet has the id of a text: the room gave it none, or derived it from the sender of a stream. */
function isNameless({ id, sessionId, kind, metadata: { rawId } }: RoomMessage): boolean {
  return rawId === null || messageIdOf(sessionId, kind, rawId) !== id;
}

/** Whether a text was said before the agent came, and the API sends it afterwards. */
export function isMissed(event: RoomEvent): boolean {
  return hasMark(event, 'missed');
}

/** Whether the API sends a text again that has no id in the room. */
function isResent(event: RoomEvent): boolean {
  return hasMark(event, 'resent');
}

/**
 * Whether the API has marked a packet. A packet of a known sender needs the API's signature. A packet without a sender needs
 * none, because an API of the former release does not sign.
 */
function hasMark(event: RoomEvent, mark: 'missed' | 'resent'): boolean {
  if (event.type !== 'packet' || (event.sender && !event.isSigned)) return false;
  const packet: unknown = JSON.parse(new TextDecoder().decode(event.payload));
  return isFields(packet) && packet[mark] === true;
}
