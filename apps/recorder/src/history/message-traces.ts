import { type OpenSpan, spanIdOf, type Traces, traceIdOf } from '@session/traces';
import type { QueuedMessage, StorableMessage, StoreResult } from '../message-path.ts';
import { isLost } from './queued-message.ts';

export interface MessageTracesDeps {
  readonly traces: Traces;
  readonly recorderId: string;
  readonly clock: { now(): number };
}

/** The number of values of `#recorderNumber`, by which two recorders rarely give a message the same span id. */
const RECORDERS = 4096;

/**
 * Traces each message from its room event to its row. The trace's id is derived from the message, so all recorders share the
 * trace. The first span's id is derived from the message, its receipt and the recorder, so a process that finds the message in
 * the spool continues the span.
 */
export class MessageTraces {
  readonly #traces: Traces;
  readonly #clock: MessageTracesDeps['clock'];
  readonly #recorderNumber: number;
  readonly #paths = new WeakMap<QueuedMessage, OpenSpan>();

  constructor({ traces, recorderId, clock }: MessageTracesDeps) {
    this.#traces = traces;
    this.#clock = clock;
    this.#recorderNumber = Number.parseInt(recorderId.replaceAll('-', '').slice(-3), 16) || 0;
  }

  now(): number {
    return this.#clock.now();
  }

  received(message: StorableMessage): void {
    this.#step('receive', message, message.receivedAt);
  }

  spooled(messages: readonly QueuedMessage[], startedAt: number): void {
    for (const message of messages) this.#step('spool', message, startedAt);
  }

  committed(
    messages: readonly QueuedMessage[],
    locked: ReadonlySet<string>,
    startedAt: number,
  ): void {
    for (const message of messages) {
      if (!locked.has(message.sessionId)) this.#step('commit', message, startedAt, 'client');
    }
  }

  refused(message: QueuedMessage): void {
    this.#pathOf(message)?.fail('refused');
  }

  /**
   * Ends the paths of the settled messages of a batch. A failed attempt adds nothing, because an outage repeats it many
   * times.
   */
  attempted(
    batch: readonly QueuedMessage[],
    { deferred, rest }: StoreResult,
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
