import { decode, type RoomEvent, type RoomMessage } from '@session/contract/room';
import { pause } from '@session/kit';
import type { ListedParticipant } from '@session/media';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import type { Heard, RoomLink } from '../room/room-link.ts';
import type { Timing } from '../timing.ts';
import { Arrivals } from './event-order.ts';
import { InterimSegments } from './interim-segments.ts';
import { Presence } from './presence.ts';
import { SenderLookup } from './sender-lookup.ts';
import type { SkipCounts } from './skip-counts.ts';

interface IntakeDeps {
  readonly sessionId: string;
  readonly listParticipants: () => Promise<readonly ListedParticipant[]>;
  readonly push: (message: RoomMessage) => void;
  readonly skipped: SkipCounts;
  readonly log: Logger;
  readonly timing: Timing;
}

/**
 * A session's way from what its room says to what its history gets: each event gets its sender and its place, and is
 * then decided on.
 */
export class SessionIntake {
  readonly #deps: IntakeDeps;
  readonly #arrivals: Arrivals;
  readonly #presence: Presence;
  readonly #senders: SenderLookup;
  readonly #segments: InterimSegments;
  readonly #ending = new AbortController();
  #held: Promise<unknown> = Promise.resolve();

  constructor(deps: IntakeDeps) {
    const { timing } = deps;
    this.#deps = deps;
    this.#arrivals = new Arrivals((event) => this.#decide(event));
    this.#presence = new Presence(timing.falseLeaveMs, (event) => this.#arrivals.push(event));
    this.#senders = new SenderLookup({
      listParticipants: deps.listParticipants,
      senderMs: timing.senderMs,
    });
    this.#segments = new InterimSegments(timing.interimMs, (message) =>
      this.#attempt(message.kind, () => deps.push(message)),
    );
  }

  /** Milliseconds since the epoch: when the oldest event was received that waits for its sender. */
  get oldestAt(): number | undefined {
    return this.#arrivals.oldestAt;
  }

  /** A fresh connection stands: who is in the room is compared with who was. */
  connected(link: RoomLink): void {
    this.#presence.compare(link.roster(), Date.now());
  }

  /** The room is not heard any more; `connected` follows, or the end. */
  interrupted(): void {
    this.#presence.interrupt();
  }

  /** What comes from now on waits until `signal` aborts: others have heard what comes before it. */
  holdBack(signal: AbortSignal): void {
    const patience = AbortSignal.any([signal, this.#ending.signal]);
    const waited = pause(this.#deps.timing.overtakeMs, patience).then(() => []);
    this.#held = Promise.all([this.#held, this.#arrivals.hold(Date.now(), waited)]);
  }

  /** Takes what a connection says, in the order in which it does. */
  receive({ event, isSound, announced }: Heard): void {
    const { signal } = this.#ending;
    switch (event.type) {
      case 'participant_joined':
        this.#presence.join(event);
        break;
      case 'participant_left':
        this.#presence.leave(event, isSound);
        break;
      case 'text_stream':
        if (event.sender.sid !== null) this.#arrivals.push(event);
        else this.#hold(event, this.#senders.completeText(event, signal));
        break;
      case 'packet':
      case 'chat_message':
        if (event.sender) this.#arrivals.push(event);
        else this.#hold(event, this.#senders.complete(event, announced, signal));
        break;
    }
  }

  /** Brings to its end what still waits: no more will come. `isSound`: the connection was heard up to now. */
  async end(isSound: boolean): Promise<void> {
    this.#ending.abort();
    await this.#held;
    this.#presence.settle(isSound);
    this.#segments.storeUnfinished();
  }

  #hold({ receivedAt }: RoomEvent, events: Promise<readonly RoomEvent[]>): void {
    this.#held = Promise.all([this.#held, this.#arrivals.hold(receivedAt, events)]);
  }

  #decide(event: RoomEvent): void {
    this.#attempt(event.type, () => this.#record(event));
  }

  /** Does `work`; what it throws costs this one event, and neither the others nor the process: much of it runs late. */
  #attempt(type: string, work: () => void): void {
    try {
      work();
    } catch (err) {
      const { sessionId, skipped, log } = this.#deps;
      skipped.add('fault');
      log.error({ err, sessionId, type }, 'an event was not recorded');
    }
  }

  /** What broke off may be less than the last version that was whole: as pending, the first one stays. */
  #betterOf(message: RoomMessage): RoomMessage {
    const kept = message.status === 'pending' ? this.#segments.find(message.id) : undefined;
    return kept && kept.content.length > message.content.length ? kept : message;
  }

  #record(event: RoomEvent): void {
    const { sessionId, push, skipped } = this.#deps;
    // What they were saying when they left is all that there will be.
    if (event.type === 'participant_left') {
      this.#segments.storeUnfinished(event.participant.identity);
    }
    const decoded = decode(event, { sessionId, newId: uuidv7 });
    switch (decoded.outcome) {
      case 'record':
        push(this.#betterOf(decoded.message));
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
}
