import {
  decode,
  isAgent,
  isOperator,
  type PresenceEvent,
  type RoomEvent,
  type RoomMessage,
} from '@session/contract/room';
import type { StoredConversation, UserText } from '@session/conversation';
import type { JoinedRoom } from '@session/media/room';
import { v7 as uuidv7 } from 'uuid';
import { isMissed, UserTexts } from '../../user-texts.ts';
import { STATE_ATTRIBUTE } from '../agent-state.ts';
import {
  HEARING_ATTRIBUTE,
  isNamedOnly,
  listenersOf,
  placeOf,
  type Responder,
  responderOf,
} from './responder.ts';

/** An unanswered text is answered after a restart, or after its agent left, unless it is older than this. */
const STALE_MS = 120_000;

export type InboxRoom = Pick<JoinedRoom, 'identity' | 'name' | 'participants'>;

/** A spoken text has no `message` yet: its transcript becomes one. `saidAt` is by `performance`. */
export interface WaitingText {
  readonly text: UserText;
  readonly saidAt: number;
  readonly message?: RoomMessage;
}

interface Said {
  readonly text: string;
  readonly isSpoken: boolean;
}

export interface InboxOptions {
  readonly sessionId: string;
  readonly stored: StoredConversation | undefined;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly isHearing?: () => boolean;
  readonly isTaken: () => boolean;
  readonly overhear: (text: UserText) => void;
  readonly overhearAnswer: (text: string) => void;
}

/**
 * The texts that wait for an answer. One of several conversational agents answers (`responderOf`); spoken words are answered
 * by one that hears. The others remember the texts, and answer if that agent leaves before it has answered.
 */
export class Inbox {
  readonly #options: InboxOptions;
  readonly #texts: UserTexts;
  #room: InboxRoom | undefined;
  #waiting: WaitingText[] = [];
  readonly #left = new Map<string, Said & { readonly at: number }>();
  /**
   * Conversational agents that were in the room before this agent. They answer what was said before it came, even after
   * this agent is restarted.
   */
  #elders: ReadonlySet<string> = new Set();
  readonly #asked: readonly string[];
  #isOwing = false;

  constructor(options: InboxOptions) {
    const { sessionId, stored } = options;
    this.#options = options;
    const { answered = [], unanswered } = stored ?? {};
    const asked = unanswered && isFresh(Date.parse(unanswered.at)) ? unanswered.messages : [];
    this.#texts = new UserTexts(sessionId, [...answered, ...asked]);
    this.#asked = asked.map(({ content }) => content);
  }

  get hasWork(): boolean {
    return this.#isOwing || this.#waiting.length > 0;
  }

  get isTyped(): boolean {
    return this.#waiting.every(({ message }) => message);
  }

  get isFirst(): boolean {
    return this.#responder({ text: '', isSpoken: false })?.identity === this.#room?.identity;
  }

  use(room: InboxRoom): void {
    const isFirstRoom = !this.#room;
    this.#room = room;
    if (isFirstRoom) this.#begin(room);
  }

  receive(event: RoomEvent): boolean {
    if (event.type === 'participant_left') this.#agentLeft(event);
    if (event.type === 'text_stream') this.#overhearAnswer(event);
    const message = this.#texts.take(event);
    if (!message) return false;
    const text = textOf(message);
    if (isMissed(event) && this.#elder) this.#options.overhear(text);
    else this.add({ text, saidAt: performance.now(), message });
    return true;
  }

  add(waiting: WaitingText): void {
    const { text } = waiting;
    // An operator's last transcript may arrive after the operator has left.
    if (this.#options.isTaken() || isOperator({ identity: text.identity ?? '' })) {
      this.#options.overhear(text);
      return;
    }
    const said = { text: text.text, isSpoken: !waiting.message };
    const responder = this.#responder(said);
    if (!this.#room || responder?.identity === this.#room.identity) {
      this.#waiting.push(waiting);
      return;
    }
    this.#options.overhear(text);
    if (responder) this.#left.set(responder.identity, { ...said, at: Date.now() });
  }

  /**
   * Returns and removes the waiting texts. If there are none although `hasWork` was true, the texts to answer are in
   * the history.
   */
  takeAll(): readonly WaitingText[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#isOwing = false;
    return waiting;
  }

  overhearAll(): void {
    for (const { text } of this.takeAll()) this.#options.overhear(text);
    this.#left.clear();
  }

  forget(texts: readonly WaitingText[]): void {
    for (const { message } of texts) if (message) this.#texts.forget(message);
  }

  #overhearAnswer(event: RoomEvent): void {
    const decoded = decode(event, { sessionId: this.#options.sessionId, newId: uuidv7 });
    if (decoded.outcome !== 'store') return;
    const { role, status, content, metadata } = decoded.message;
    const { participant, interrupted, truncated } = metadata;
    const { identity } = participant ?? {};
    const isAnswer = role === 'assistant' && status === 'complete';
    const others = this.#others();
    const sender = others.find((other) => other.identity === identity);
    if (!isAnswer || !sender) return;
    // A cut answer belongs to an earlier text, or to an agent that is about to leave.
    if (!interrupted && !truncated) {
      const line = others.filter((other) => placeOf(other) === placeOf(sender));
      for (const one of line) this.#left.delete(one.identity);
    }
    this.#options.overhearAnswer(content);
  }

  /** A leave without a reason may be false, because the media client reports one for each participant when it reconnects. */
  #agentLeft({ participant: { identity }, reason }: PresenceEvent): void {
    const left = this.#left.get(identity);
    if (!left || reason === null) return;
    this.#left.delete(identity);
    if (!isFresh(left.at)) return;
    const responder = this.#responder(left, identity);
    if (responder?.identity === this.#room?.identity) this.#isOwing = true;
    else if (responder) this.#left.set(responder.identity, left);
  }

  #begin({ identity, name }: InboxRoom): void {
    const { stored, attributes } = this.#options;
    const own = { identity, name, attributes };
    const isAsked = this.#asked.some((text) => responderOf([own], text));
    // A successor speaks first.
    this.#isOwing = isAsked || stored?.takenOver !== undefined;
    if (!stored?.takenOver) this.#findElders();
  }

  #findElders(): void {
    this.#elders = new Set(this.#others().map(({ identity }) => identity));
    const at = Date.parse(this.#options.stored?.unanswered?.at ?? '');
    if (!this.#isOwing || !this.#elder) return;
    this.#isOwing = false;
    this.#left.set(this.#elder.identity, { text: '', isSpoken: false, at });
  }

  get #elder(): Responder | undefined {
    return this.#others().find((one) => this.#elders.has(one.identity) && !isNamedOnly(one));
  }

  #responder({ text, isSpoken }: Said, gone?: string): Responder | undefined {
    if (!this.#room) return undefined;
    const others = this.#others().filter(({ identity }) => identity !== gone);
    const { identity, name } = this.#room;
    const { attributes, isHearing = () => false } = this.#options;
    const hearing = { [HEARING_ATTRIBUTE]: String(isHearing()) };
    const own = { identity, name, attributes: { ...attributes, ...hearing } };
    return responderOf(isSpoken ? listenersOf(own, others) : [own, ...others], text);
  }

  #others(): Responder[] {
    const { participants = [] } = this.#room ?? {};
    // The predecessor answers nothing, and is about to leave.
    const predecessor = this.#options.stored?.takenOver?.from;
    return participants.filter(
      (one) =>
        isAgent(one) &&
        one.identity !== predecessor &&
        Object.hasOwn(one.attributes, STATE_ATTRIBUTE),
    );
  }
}

function textOf({ content, metadata }: RoomMessage): UserText {
  const { name: speaker, identity } = metadata.participant ?? {};
  return { text: content, speaker, identity };
}

function isFresh(at: number): boolean {
  return Date.now() - at < STALE_MS;
}
