import { type OpenSpan, spanIdOf, type Traces, traceIdOf } from '@session/traces';
import type { QueuedMessage, StorableMessage, StoreResult } from '../message-path.ts';
import { isLost } from './queued-message.ts';

export interface MessageTracesDeps {
  readonly traces: Traces;
  readonly recorderId: string;
  /** The clock of the times of receipt. */
  readonly clock: { now(): number };
}

/** How many recorders' spans of one message differ, however equal their times of receipt are. */
const RECORDERS = 4096;

/**
 * Traces each message from its room event to its row. The trace has the digits of the message's id as its id, and the span of
 * the whole path follows from the message too. So a process that finds a message in the spool goes on with its trace, and
 * every recorder of a room adds to the same one. Whoever has the id of a message can look up its trace.
 */
export class MessageTraces {
  readonly #traces: Traces;
  readonly #clock: MessageTracesDeps['clock'];
  readonly #recorderNumber: number;
  /** The whole paths of the messages that this process knows. */
  readonly #paths = new WeakMap<QueuedMessage, OpenSpan>();

  constructor({ traces, recorderId, clock }: MessageTracesDeps) {
    this.#traces = traces;
    this.#clock = clock;
    this.#recorderNumber = Number.parseInt(recorderId.replaceAll('-', '').slice(-3), 16) || 0;
  }

  /** Returns the time with which a step begins. */
  now(): number {
    return this.#clock.now();
  }

  /** Notes that a message was decided and waits to be stored. */
  received(message: StorableMessage): void {
    this.#step('receive', message, message.receivedAt);
  }

  /** Notes that these messages, or some of them, are in the spool. */
  spooled(messages: readonly QueuedMessage[], startedAt: number): void {
    for (const message of messages) this.#step('spool', message, startedAt);
  }

  /** Notes that the statement has stored these messages, but for those of the `locked` sessions. */
  committed(
    messages: readonly QueuedMessage[],
    locked: ReadonlySet<string>,
    startedAt: number,
  ): void {
    for (const message of messages) {
      if (!locked.has(message.sessionId)) this.#step('commit', message, startedAt, 'client');
    }
  }

  /** Notes that the database refuses the message. */
  refused(message: QueuedMessage): void {
    this.#pathOf(message)?.fail('refused');
  }

  /**
   * Notes an attempt to store a batch, and ends the paths of the messages that are settled. An attempt that fails adds nothing:
   * while the database is away, the whole spool is tried again and again.
   */
  attempted(
    batch: readonly QueuedMessage[],
    { deferred, rest }: Pick<StoreResult, 'deferred' | 'rest'>,
    startedAt: number,
  ): void {
    const left = new Set([...deferred, ...rest]);
    for (const message of batch) {
      if (left.has(message)) continue;
      this.#step('flush', message, startedAt);
      this.#pathOf(message)?.end(this.now());
    }
  }

  #step(
    name: string,
    message: QueuedMessage,
    startedAt: number,
    kind: 'client' | 'internal' = 'internal',
  ): void {
    const path = this.#pathOf(message);
    if (!path?.isRecording) return;
    const attributes = kind === 'client' ? { 'db.system.name': 'postgresql' } : {};
    const { traceparent: parent } = path;
    const span = this.#traces.start({ name, kind, parent, startedAt, attributes });
    span.end(Math.max(startedAt, this.now()));
  }

  #pathOf(message: QueuedMessage): OpenSpan | undefined {
    if (isLost(message)) return undefined;
    const known = this.#paths.get(message);
    if (known) return known;
    const { id, kind, receivedAt, sessionId } = message;
    const salt = receivedAt * RECORDERS + this.#recorderNumber;
    const path = this.#traces.start({
      name: 'record message',
      parent: null,
      ids: { traceId: traceIdOf(id), spanId: spanIdOf(id, salt) },
      startedAt: receivedAt,
      attributes: { 'session_service.session.id': sessionId, 'session_service.message.kind': kind },
    });
    this.#paths.set(message, path);
    return path;
  }
}
