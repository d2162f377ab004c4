import {
  decode,
  messageIdOf,
  packetFields,
  type RoomEvent,
  type RoomMessage,
  senderOf,
} from '@session/contract/room';
import { v7 as uuidv7 } from 'uuid';
import { AnsweredTexts } from './answered-texts.ts';

const NAMELESS = 100;

export interface EarlierText {
  readonly id: string;
  readonly identity: string | null;
  readonly content: string;
}

/** The texts of people in a room. Each text is taken once, although clients and the API may send it again under its id. */
export class UserTexts {
  readonly #sessionId: string;
  readonly #answered = new AnsweredTexts();
  readonly #storedIds: ReadonlySet<string | null>;
  readonly #nameless: string[] = [];

  constructor(sessionId: string, earlier: readonly EarlierText[] = []) {
    this.#sessionId = sessionId;
    this.#storedIds = new Set(earlier.map(({ id }) => id));
    for (const { id, identity, content } of earlier) {
      this.#answered.addText({
        id,
        content,
        sender: identity === null ? null : senderOf(identity),
      });
    }
  }

  take(event: RoomEvent): RoomMessage | undefined {
    const decoded = decode(event, { sessionId: this.#sessionId, newId: uuidv7 });
    if (decoded.outcome !== 'store') return undefined;
    const { message } = decoded;
    const { kind, role, status } = message;
    // Texts of agents have the role assistant. A sender that is not announced yet counts as a person, because our agents
    // announce themselves before they send anything.
    if (kind !== 'text' || role !== 'user' || status !== 'complete') return undefined;
    // The API resends a message under its stored id. If that id was derived, a message id derived from the packet's id
    // differs from it.
    if (isResent(event) && this.#storedIds.has(message.metadata.rawId)) return undefined;
    if (this.#answered.has(message)) return undefined;
    this.#answered.add(message);
    if (isResent(event)) return this.#isTakenNameless(message) ? undefined : message;
    if (isNameless(message)) this.#remember(message.content);
    return message;
  }

  #isTakenNameless({ content }: RoomMessage): boolean {
    const index = this.#nameless.indexOf(content);
    if (index >= 0) this.#nameless.splice(index, 1);
    return index >= 0;
  }

  #remember(content: string): void {
    this.#nameless.push(content);
    if (this.#nameless.length > NAMELESS) this.#nameless.shift();
  }

  forget(message: RoomMessage): void {
    this.#answered.delete(message);
  }
}

/**
 * Returns whether no packet carries the text's id, because the text had none in the room, or its id is derived from a
 * stream's sender.
 */
function isNameless({ id, sessionId, kind, metadata: { rawId } }: RoomMessage): boolean {
  return rawId === null || messageIdOf(sessionId, kind, rawId) !== id;
}

export function isMissed(event: RoomEvent): boolean {
  return hasMark(event, 'missed');
}

function isResent(event: RoomEvent): boolean {
  return hasMark(event, 'resent');
}

/**
 * Returns whether the API has marked a packet. A packet with a known sender must be signed. Others need not be, because
 * an API of the former release signs none.
 */
function hasMark(event: RoomEvent, mark: 'missed' | 'resent'): boolean {
  if (event.type !== 'packet' || (event.sender && !event.isSigned)) return false;
  return packetFields(event.payload)?.[mark] === true;
}
