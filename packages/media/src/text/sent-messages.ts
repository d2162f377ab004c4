import { randomBytes } from 'node:crypto';
import {
  LAST_ATTRIBUTE,
  packetFields,
  RESENT_ID_ATTRIBUTE,
  RESENT_OF_ATTRIBUTE,
  SEQUENCE_ATTRIBUTE,
  type SequenceNumber,
  SPOKEN_AT_ATTRIBUTE,
  sequenceAttribute,
} from '@session/contract/room';

const KEPT = 200;
/** Each number is sent again at most once in this time, because several processes of the service may ask. */
const AGAIN_MS = 2000;

type Attributes = Readonly<Record<string, string>>;

export interface ResentMessage {
  readonly text: string;
  readonly attributes: Attributes;
}

export interface NumberedMessage {
  readonly seq: SequenceNumber;
  readonly write: (text: string) => void;
  /**
   * Ends the message, which may be sent again from then on. Takes the attributes with which its text stream ended. If nothing
   * was written, the next message gets the number.
   */
  readonly end: (attributes?: Attributes) => void;
  /** Notes that the message broke off. It may only be sent again as a whole, with the same id. */
  readonly breakOff: () => void;
}

interface Kept {
  readonly id: string;
  readonly of: string;
  readonly saidAt: string;
  text: string;
  attributes: Attributes | undefined;
  isOpen: boolean;
  sentAgainAt: number;
}

/**
 * Numbers the messages of a program in a room, across all its connections, and keeps the last ones for the service, which
 * asks for missing messages.
 */
export class SentMessages {
  readonly #q = randomBytes(6).toString('base64url');
  readonly #kept = new Map<number, Kept>();
  readonly #unused: number[] = [];
  readonly #isSigned: (packet: unknown) => boolean;
  readonly #now: () => number;
  #n = 0;
  #last = 0;

  /**
   * `isSigned`: whether the service signed a packet. Only the service may ask, because a participant that joined late
   * must not get earlier messages.
   */
  constructor(isSigned: (packet: unknown) => boolean, now: () => number = Date.now) {
    this.#isSigned = isSigned;
    this.#now = now;
  }

  /**
   * The attribute with the last number; empty before the first message. All messages up to that number were said, so if
   * the history has only a part of one, the rest was lost.
   */
  get lastAttribute(): Attributes {
    const open = [...this.#kept].flatMap(([n, { isOpen }]) => (isOpen ? n - 1 : []));
    const n = Math.min(this.#last, ...open);
    return n === 0 ? {} : { [LAST_ATTRIBUTE]: sequenceAttribute({ q: this.#q, n }) };
  }

  /**
   * Numbers the message `id`: a packet, or a text stream on the topic `of`. A message that is sent again keeps its number.
   */
  number(of: string, id: string): NumberedMessage {
    const n = this.#find(of, id) ?? this.#next();
    const saidAt = new Date(this.#now()).toISOString();
    const unsent = { text: '', attributes: undefined, isOpen: true, sentAgainAt: -Infinity };
    const kept: Kept = { of, id, saidAt, ...unsent };
    this.#kept.set(n, kept);
    return {
      seq: { q: this.#q, n },
      write: (text) => {
        kept.text += text;
      },
      end: (attributes = {}) => {
        kept.attributes = attributes;
        kept.isOpen = false;
        if (kept.text !== '') this.#last = Math.max(this.#last, n);
        else if (this.#kept.delete(n)) this.#unused.push(n);
      },
      breakOff: () => {
        kept.isOpen = false;
      },
    };
  }

  /**
   * Returns the messages that a packet of the service asks for, except those that are no longer kept or were just sent again.
   */
  asked(payload: Uint8Array): ResentMessage[] {
    const packet = packetFields(payload) ?? {};
    const { q, ns } = packet;
    if (q !== this.#q || !Array.isArray(ns) || !this.#isSigned(packet)) return [];
    const now = this.#now();
    return [...this.#kept].flatMap(([n, kept]) => {
      const { of, id, saidAt, text, attributes } = kept;
      if (!ns.includes(n) || !attributes || now - kept.sentAgainAt < AGAIN_MS) return [];
      kept.sentAgainAt = now;
      const names = {
        [SEQUENCE_ATTRIBUTE]: sequenceAttribute({ q: this.#q, n }),
        [RESENT_OF_ATTRIBUTE]: of,
        [RESENT_ID_ATTRIBUTE]: id,
        [SPOKEN_AT_ATTRIBUTE]: saidAt,
      };
      return { text, attributes: { ...attributes, ...names } };
    });
  }

  #find(of: string, id: string): number | undefined {
    return [...this.#kept].find(([, kept]) => kept.of === of && kept.id === id)?.[0];
  }

  #next(): number {
    const unused = this.#unused.shift();
    if (unused !== undefined) return unused;
    this.#n += 1;
    const [oldest = 0] = this.#kept.keys();
    if (this.#kept.size >= KEPT) this.#kept.delete(oldest);
    return this.#n;
  }
}
