import {
  CHAT_TOPIC,
  decode,
  isAgent,
  type RoomEvent,
  type TextStreamEvent,
} from '@session/contract/room';
import { pause } from '@session/kit';
import { digestOf, type NamedText, readAnswers } from '@session/media';
import { LRUCache } from 'lru-cache';
import type { RecorderQueries } from '../queries.ts';
import type { FloodGate } from './flood-gate.ts';

const MAX_TEXTS = 2000;
/** `max` would reserve memory for all entries: 40 kB per cache, even in a silent session. */
const LIMIT = { maxSize: MAX_TEXTS, sizeCalculation: () => 1 };
const LATE_MS = 2000;
const CHECK_MS = 50;
/** A text that an agent received within this time after the recorder connected may have been sent before that. */
const CONNECTED_SLACK_MS = 1000;
/** Without an id, equal content within this time is the same text. */
const NAMELESS_MS = 10_000;
const USER_TEXT = 'user_text';

interface HeardDeps {
  readonly sessionId: string;
  readonly queries: Pick<RecorderQueries, 'filterStoredTexts'>;
  readonly floods: Pick<FloodGate, 'isTooFast'>;
}

/**
 * The texts that this recorder received, and those that an agent answers although this recorder has not received them:
 * a packet may be sent to an agent alone. Our agents name the texts that they answer, with their age. Only texts from
 * the time in which this recorder was connected can be judged.
 */
export class HeardTexts {
  readonly #deps: HeardDeps;
  readonly #heard = new LRUCache<string, true>(LIMIT);
  readonly #nameless = new LRUCache<string, number>(LIMIT);
  readonly #reported = new LRUCache<string, true>(LIMIT);
  #connectedAt = Number.POSITIVE_INFINITY;

  constructor(deps: HeardDeps) {
    this.#deps = deps;
  }

  connected(at: number): void {
    this.#connectedAt = at;
  }

  note(event: RoomEvent): void {
    if (!mayBeText(event)) return;
    const decoded = decode(event, { sessionId: this.#deps.sessionId, newId: () => '' });
    if (decoded.outcome === 'skip' || decoded.message.kind !== 'text') return;
    const { id, content, metadata, receivedAt } = decoded.message;
    const digest = digestOf(content);
    if (metadata.rawId === null) this.#nameless.set(digest, receivedAt);
    else this.#heard.set(keyOf({ id, digest }), true);
  }

  missing(event: TextStreamEvent): readonly NamedText[] {
    const { sender, attributes, beganAt = 0 } = event;
    if (!isAgent(sender)) return [];
    const answered = readAnswers(attributes);
    return answered.filter((text) => this.#isMissing(text, beganAt));
  }

  /** Returns the ids of the missing texts that no recorder has received, each once. Never rejects. */
  async findUnheard(event: TextStreamEvent, signal: AbortSignal): Promise<readonly string[]> {
    if (this.#deps.floods.isTooFast(event)) return [];
    let missing = await this.#notStored(this.missing(event));
    const deadline = performance.now() + LATE_MS;
    while (missing.length > 0 && performance.now() < deadline) {
      if (!(await pause(CHECK_MS, signal))) break;
      const still = this.missing(event);
      missing = missing.filter(({ id }) => still.some((text) => text.id === id));
    }
    const unheard = (await this.#notStored(missing)).map(({ id }) => id);
    for (const id of unheard) this.#reported.set(id, true);
    return unheard;
  }

  #isMissing(text: NamedText, beganAt: number): boolean {
    const { id, isNameless, digest, ageMs } = text;
    const at = beganAt - ageMs;
    if (at < this.#connectedAt + CONNECTED_SLACK_MS || this.#reported.has(id)) return false;
    if (!isNameless) return !this.#heard.has(keyOf(text));
    return Math.abs((this.#nameless.get(digest) ?? 0) - at) > NAMELESS_MS;
  }

  async #notStored(texts: readonly NamedText[]): Promise<readonly NamedText[]> {
    const { sessionId, queries } = this.#deps;
    const named = texts.filter(({ isNameless }) => !isNameless);
    if (named.length === 0) return texts;
    const stored = await queries.filterStoredTexts(sessionId, named).catch(() => named);
    const found = new Set<object>(stored);
    return texts.filter((text) => !found.has(text));
  }
}

function keyOf({ id, digest }: Pick<NamedText, 'id' | 'digest'>): string {
  return `${id}/${digest}`;
}

/** Returns whether the event may be a text: a cheaper check than decoding a packet twice. */
function mayBeText(event: RoomEvent): boolean {
  if (event.type === 'packet') return Buffer.from(event.payload).includes(USER_TEXT);
  return (
    event.type === 'chat_message' || (event.type === 'text_stream' && event.topic === CHAT_TOPIC)
  );
}
