import {
  decode,
  type PresenceEvent,
  type RoomEvent,
  type RoomMessage,
} from '@session/contract/room';
import { pause } from '@session/kit';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import type {
  MessageReceiver,
  ReceivedEvent,
  ReceivedEventReceiver,
  RoomEventReceiver,
  SenderFinder,
} from '../message-path.ts';
import type { Timing } from '../timing.ts';
import { EventOrder } from './event-order.ts';
import { InterimSegments } from './interim-segments.ts';
import { Presence } from './presence.ts';
import type { SkipCounts } from './skip-counts.ts';

interface EventsDeps {
  readonly sessionId: string;
  readonly senders: SenderFinder;
  /** Takes the messages whose id comes from the room: every recorder may store them. */
  readonly writer: MessageReceiver;
  /** Takes the messages without such an id: only the leader stores them. */
  readonly leadership: MessageReceiver;
  /** Is called with each join, before it is decided. */
  readonly sawJoin?: (event: PresenceEvent) => void;
  readonly skipped: SkipCounts;
  readonly log: Logger;
  readonly timing: Pick<Timing, 'falseLeaveMs' | 'interimMs' | 'overtakeMs'>;
}

/** Makes messages of the events of one session: finds each event's sender, keeps the order, and decides on the event. */
export class SessionEvents implements ReceivedEventReceiver {
  readonly #deps: EventsDeps;
  readonly #order: EventOrder;
  readonly #presence: Presence;
  readonly #segments: InterimSegments;
  readonly #ending = new AbortController();
  /** Resolves when every event is decided whose position was held so far. */
  #held: Promise<unknown> = Promise.resolve();

  constructor(deps: EventsDeps) {
    const { timing } = deps;
    this.#deps = deps;
    const decision: RoomEventReceiver = { push: (event) => this.#decide(event) };
    this.#order = new EventOrder(decision);
    this.#presence = new Presence(timing.falseLeaveMs, this.#order);
    this.#segments = new InterimSegments(timing.interimMs, (message) =>
      this.#attempt(message.kind, () => this.#pass(message)),
    );
  }

  /** Milliseconds since the epoch: when the oldest event was received that still waits for its turn. */
  get oldestAt(): number | undefined {
    return this.#order.oldestAt;
  }

  /** Compares the participants whom a fresh connection shows with those who were known. */
  connected(roster: readonly PresenceEvent[]): void {
    this.#presence.compare(roster, Date.now());
  }

  /** Notes that the room does not receive any more. `connected` follows, or the end. */
  interrupted(): void {
    this.#presence.interrupt();
  }

  /** Holds back the events from now on until `signal` aborts: other recorders received the events before them. */
  holdBack(signal: AbortSignal): void {
    const isOver = AbortSignal.any([signal, this.#ending.signal]);
    const waited = pause(this.#deps.timing.overtakeMs, isOver).then(() => []);
    this.#hold(Date.now(), waited);
  }

  /** Takes an event of the connection; to be called in the order in which the connection reports them. */
  receive({ event, isConnected, announced }: ReceivedEvent): void {
    const { senders, sawJoin } = this.#deps;
    const { signal } = this.#ending;
    switch (event.type) {
      case 'participant_joined':
        sawJoin?.(event);
        this.#presence.join(event);
        break;
      case 'participant_left':
        this.#presence.leave(event, isConnected);
        break;
      case 'text_stream':
        if (event.sender.sid !== null) this.#order.push(event);
        else this.#hold(event.receivedAt, senders.completeTextSender(event, signal));
        break;
      case 'packet':
      case 'chat_message':
        if (event.sender) this.#order.push(event);
        else this.#hold(event.receivedAt, senders.completeSender(event, announced, signal));
        break;
    }
  }

  /** Decides on every event that still waits: no more will come. `isConnected`: the connection was up until now. */
  async end(isConnected: boolean): Promise<void> {
    this.#ending.abort();
    await this.#held;
    this.#presence.settle(isConnected);
    this.#segments.storeUnfinished();
  }

  #hold(receivedAt: number, events: Promise<readonly RoomEvent[]>): void {
    this.#held = Promise.all([this.#held, this.#order.hold(receivedAt, events)]);
  }

  #decide(event: RoomEvent): void {
    this.#attempt(event.type, () => this.#record(event));
  }

  /** Does `work`. If it throws, this one event is lost, and neither other events nor the process: much of it runs late. */
  #attempt(type: string, work: () => void): void {
    try {
      work();
    } catch (err) {
      const { sessionId, skipped, log } = this.#deps;
      skipped.add('fault');
      log.error({ err, sessionId, type }, 'an event was not recorded');
    }
  }

  #record(event: RoomEvent): void {
    const { sessionId, skipped } = this.#deps;
    // No more will come of the utterance that a participant left unfinished.
    if (event.type === 'participant_left') {
      this.#segments.storeUnfinished(event.participant.identity);
    }
    const decoded = decode(event, { sessionId, newId: uuidv7 });
    switch (decoded.outcome) {
      case 'store':
        this.#pass(this.#betterOf(decoded.message));
        this.#segments.drop(decoded.message.id);
        break;
      case 'interim':
        this.#segments.keep(decoded.message);
        skipped.add('partial_transcript');
        break;
      case 'skip':
        skipped.add(decoded.reason);
        break;
    }
  }

  /** Returns the kept version instead of a broken one that is shorter: as pending, the first stored version stays. */
  #betterOf(message: RoomMessage): RoomMessage {
    const kept = message.status === 'pending' ? this.#segments.find(message.id) : undefined;
    return kept && kept.content.length > message.content.length ? kept : message;
  }

  /** Passes a decided message on: without an id from the room, only the leader may store it. */
  #pass(message: RoomMessage): void {
    const { writer, leadership } = this.#deps;
    if (message.metadata.rawId === null) leadership.push(message);
    else writer.push(message);
  }
}
