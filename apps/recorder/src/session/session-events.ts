import {
  decodeNumbered,
  type Participant,
  type PresenceEvent,
  type RoomEvent,
  type RoomMessage,
  type TextStreamEvent,
  unheardText,
} from '@session/contract/room';
import { pause, waitAtMost } from '@session/kit';
import type { PublishedTrack } from '@session/media';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import type {
  BegunText,
  EndedText,
  MessageReceiver,
  ReceivedEvent,
  ReceivedEventReceiver,
  ReceivedText,
  SenderFinder,
  StorableMessage,
} from '../message-path.ts';
import { textKey } from '../room/open-texts.ts';
import type { Timing } from '../timing.ts';
import { EventOrder } from './event-order.ts';
import type { HeardTexts } from './heard-texts.ts';
import { InterimTranscripts } from './interim-transcripts.ts';
import type { ParticipantNames } from './participant-names.ts';
import { Presence } from './presence.ts';
import { SenderStays } from './sender-stays.ts';
import type { SkipCounts } from './skip-counts.ts';

/**
 * How long an interruption waits for look-ups and flushes. If the process is killed meanwhile, its open interval ends at most
 * this late.
 */
export const INTERRUPTION_MS = 100;

interface EventsDeps {
  readonly sessionId: string;
  readonly senders: SenderFinder;
  readonly names: Pick<ParticipantNames, 'identified' | 'load' | 'named'>;
  readonly messages: MessageReceiver;
  readonly texts: Pick<HeardTexts, 'findUnheard' | 'missing' | 'note'>;
  readonly sawJoin?: (event: PresenceEvent) => void;
  readonly skipped: SkipCounts;
  readonly log: Logger;
  readonly timing: Timing;
}

/**
 * Turns the events of one session into messages. Each event goes to `#order`, joins and leaves by way of `#presence`. There it
 * waits for its sender if that is unknown. When its turn comes, it goes to `#decide`.
 */
export class SessionEvents implements ReceivedEventReceiver {
  readonly #deps: EventsDeps;
  readonly #order: EventOrder;
  readonly #presence: Presence;
  readonly #interims: InterimTranscripts;
  readonly #stays = new SenderStays();
  readonly #wordsSince = new Map<string, number>();
  readonly #ending = new AbortController();
  #held: Promise<void> = Promise.resolve();

  constructor(deps: EventsDeps) {
    const { timing } = deps;
    this.#deps = deps;
    // Each event is decided in its turn.
    this.#order = new EventOrder({
      push: (event) => this.#guard(event.type, () => this.#decide(event)),
    });
    this.#presence = new Presence(timing.falseLeaveMs, this.#order);
    this.#interims = new InterimTranscripts(timing, (message, since) =>
      this.#guard(message.kind, () => this.#store(message, since)),
    );
  }

  /**
   * When the oldest word or event was received that is in no message passed on so far. Each message carries the time of its
   * oldest word.
   */
  get undecidedSince(): number {
    return Math.min(
      this.#order.oldestAt,
      this.#presence.uncertainSince,
      this.#interims.unstoredSince,
      ...this.#wordsSince.values(),
    );
  }

  /** Leaves out joins and leaves, which rosters and webhooks report again. */
  get undecidedWordsSince(): number {
    return Math.min(this.#order.oldestWordsAt, ...this.#wordsSince.values());
  }

  connected(roster: readonly PresenceEvent[], now: number): void {
    for (const event of roster) this.#awaitName(event.participant, event.receivedAt);
    this.#presence.reconcile(roster, now);
  }

  /** Passes on interim transcripts, and waits up to `INTERRUPTION_MS` until all events are decided. Never rejects. */
  async interrupted(): Promise<void> {
    // The leader stores what it received before, so no event may wait for a text beyond the interruption.
    this.#order.forgetTexts();
    // The interval ends soon. If the recorder dies then, no mark of the interval covers words that are only in memory.
    this.#interims.storeAll();
    // Some transcripts may still wait for their turn, perhaps for longer than `INTERRUPTION_MS`.
    void this.#held.then(() => this.#interims.storeAll());
    this.#presence.interrupt();
    await waitAtMost(this.#held, INTERRUPTION_MS);
    this.#interims.storeAll();
  }

  /** Holds back the events from `now` on until `signal` aborts, for at most `overtakeMs`: older ones of the leader go first. */
  holdBack(signal: AbortSignal, now: number): void {
    const isOver = AbortSignal.any([signal, this.#ending.signal]);
    this.#delay(now, pause(this.#deps.timing.overtakeMs, isOver));
  }

  receive({ event, isConnected, announced, unsavedSince }: ReceivedEvent): void {
    const { senders, sawJoin, texts } = this.#deps;
    const { signal } = this.#ending;
    this.#awaitName(participantOf(event), event.receivedAt);
    switch (event.type) {
      case 'participant_joined':
        sawJoin?.(event);
        senders.noteAnnounced(event);
        this.#presence.join(event);
        break;
      case 'participant_left':
        this.#presence.leave(event, isConnected);
        break;
      // The text so far, of a known sender. It is not noted, because the sender may still add to it.
      case 'text_stream':
        this.#holdWords(event, unsavedSince);
        if (!event.transcribers && texts.missing(event).length === 0) this.#order.push(event);
        else this.#hold(event.receivedAt, this.#named(this.#completeText(event)));
        break;
      case 'packet':
      case 'chat_message':
        texts.note(event);
        if (event.sender) this.#order.push(event);
        else {
          const found = senders.completeSender(event, announced, signal);
          this.#hold(event.receivedAt, this.#named(found), true);
        }
        break;
    }
  }

  receiveBegin(begun: BegunText): void {
    this.#order.begin(textKey(begun), begun.isOpened);
  }

  receiveTrack(track: PublishedTrack): void {
    this.#deps.senders.noteTrack(track);
  }

  receiveEnd({ receivedAt, text, ...begun }: EndedText): void {
    const found = text.then(async (received) => await this.#findTextSender(received));
    const held = this.#order.holdEnd(textKey(begun), receivedAt, this.#named(found));
    this.#held = this.#afterHeld(held, this.#held);
  }

  async #findTextSender({ event, unsavedSince }: ReceivedText): Promise<readonly RoomEvent[]> {
    this.#holdWords(event, unsavedSince);
    this.#deps.texts.note(event);
    return await this.#completeText(event);
  }

  #holdWords(event: TextStreamEvent, since = Infinity): void {
    const key = keyOf(event);
    this.#wordsSince.set(key, Math.min(since, this.#wordsSince.get(key) ?? since));
  }

  #releaseWords(event: TextStreamEvent): number {
    const key = keyOf(event);
    const since = this.#wordsSince.get(key) ?? Infinity;
    this.#wordsSince.delete(key);
    return since;
  }

  async #completeText(event: TextStreamEvent): Promise<readonly RoomEvent[]> {
    const { senders, texts } = this.#deps;
    const { signal } = this.#ending;
    const unheard = await texts.findUnheard(event, signal);
    const judged = unheard.length > 0 ? { ...event, unheard } : event;
    if (event.sender.sid !== null && !event.transcribers) return [judged];
    return await senders.completeTextSender(judged, signal);
  }

  async end(isConnected: boolean): Promise<void> {
    this.#ending.abort();
    // From now on, events wait only behind held events.
    this.#order.forgetTexts();
    await this.#held;
    this.#presence.decideLeaves(isConnected);
    this.#interims.storeAll();
  }

  /** Returns the events once their senders' names are known too. Never rejects: an error loses only these events. */
  async #named(found: Promise<readonly RoomEvent[]>): Promise<readonly RoomEvent[]> {
    const { sessionId, names } = this.#deps;
    try {
      const events = await found;
      await Promise.all(
        events.map(async (event) => await names.load(sessionId, participantOf(event))),
      );
      return events;
    } catch (err) {
      this.#lost(err);
      return [];
    }
  }

  #awaitName(participant: Participant | null, receivedAt: number): void {
    const loaded = this.#deps.names.load(this.#deps.sessionId, participant);
    if (loaded) this.#delay(receivedAt, loaded);
  }

  #delay(receivedAt: number, over: Promise<unknown>): void {
    this.#held = this.#afterHeld(this.#order.delay(receivedAt, over), this.#held);
  }

  #hold(receivedAt: number, events: Promise<readonly RoomEvent[]>, mayAnswer = false): void {
    this.#held = this.#afterHeld(this.#order.hold(receivedAt, events, mayAnswer), this.#held);
  }

  /** Not `Promise.all`, which would keep the results of all earlier events in memory. */
  async #afterHeld(next: Promise<void>, before: Promise<void>): Promise<void> {
    await before;
    await next;
  }

  #decide(received: RoomEvent): void {
    const { sessionId, skipped, names } = this.#deps;
    const event = names.named(received);
    // A participant who has left sends no final transcript any more.
    if (event.type === 'participant_left') this.#interims.storeAll(event.participant.identity);
    const since = event.type === 'text_stream' ? this.#releaseWords(event) : Infinity;
    if (event.type === 'participant_joined') this.#stays.note(event);
    const decoded = decodeNumbered(event, { sessionId, newId: uuidv7 });
    switch (decoded.outcome) {
      case 'store': {
        if (event.type === 'text_stream') this.#storeUnheard(event);
        const message = names.identified(this.#longerOf(decoded.message));
        const isOfApi = event.type === 'packet' && event.isSigned === true;
        const sent = isOfApi ? { ...message, isOfApi } : message;
        this.#store(sent, Math.min(since, this.#interims.drop(message)));
        break;
      }
      case 'interim':
        this.#interims.keep(
          names.identified(decoded.message),
          Math.min(since, decoded.message.receivedAt),
        );
        skipped.add('partial_transcript');
        break;
      case 'skip':
        skipped.add(decoded.reason);
        break;
    }
  }

  #storeUnheard({ unheard = [], receivedAt }: TextStreamEvent): void {
    for (const id of unheard) this.#store(unheardText(this.#deps.sessionId, id, receivedAt));
  }

  #longerOf(message: RoomMessage): RoomMessage {
    const kept = message.status === 'pending' ? this.#interims.find(message) : undefined;
    return kept && kept.content.length > message.content.length ? kept : message;
  }

  #store(message: StorableMessage, since = Infinity): void {
    const senders = this.#stays.sendersOf(message);
    const isOlder = since < message.receivedAt;
    const sent = { ...message, ...(isOlder && { since }), ...(senders && { senders }) };
    this.#deps.messages.push(sent);
  }

  /** Loses only this event if `work` throws. Nothing else would catch an error in a later task. */
  #guard(type: string, work: () => void): void {
    try {
      work();
    } catch (err) {
      this.#lost(err, type);
    }
  }

  #lost(err: unknown, type?: string): void {
    const { sessionId, skipped, log } = this.#deps;
    skipped.add('fault');
    log.error({ err, sessionId, type }, 'recording an event failed');
  }
}

function keyOf({ sender, streamId }: TextStreamEvent): string {
  return textKey({ identity: sender.identity, streamId });
}

function participantOf(event: RoomEvent): Participant | null {
  return 'participant' in event ? event.participant : event.sender;
}
