import {
  type Flood,
  floodGap,
  type RoomMessage,
  senderOf,
  type TextStreamEvent,
} from '@session/contract/room';
import { pause, type SenderRates } from '@session/kit';
import { v7 as uuidv7 } from 'uuid';
import { sinceOf } from '../history/queued-message.ts';
import type { MessageReceiver, StorableMessage } from '../message-path.ts';
import type { RecorderLog } from '../process/log.ts';
import type { SkipCounts } from './skip-counts.ts';

interface FloodDeps {
  readonly sessionId: string;
  readonly rates: SenderRates;
  readonly writer: MessageReceiver;
  readonly leadership: MessageReceiver;
  /** A flood is reported this long after its first message. Later losses of the sender belong to the next flood. */
  readonly reportMs: number;
  readonly skipped: SkipCounts;
  readonly log: RecorderLog;
}

interface OpenFlood {
  readonly first: RoomMessage;
  readonly end: AbortController;
  since: number;
  until: number;
  count: number;
}

/**
 * Leaves out the messages of senders that exceed their rate, and reports their number as `recording_gap` with the
 * reason `flood`. Joins and leaves pass. A message that the API sent is already in the history, so its loss is not
 * reported; it still counts, because a signed packet can be sent again. Any recorder may store a message with a raw id,
 * but only the leader stores a message without one. So fewer messages may be missing than the leader reports, but not
 * more. A new leader also stores its own report, unless a stored report covers its span.
 */
export class FloodGate implements MessageReceiver {
  readonly #deps: FloodDeps;
  readonly #open = new Map<string, OpenFlood>();

  constructor(deps: FloodDeps) {
    this.#deps = deps;
  }

  get unreportedSince(): number {
    return Math.min(...Array.from(this.#open.values(), ({ since }) => since));
  }

  push(message: StorableMessage): void {
    if (this.#admits(message)) this.#passOn(message);
    else if (!message.isOfApi) this.#leaveOut(message);
  }

  isTooFast({ sender, receivedAt: at }: Pick<TextStreamEvent, 'receivedAt' | 'sender'>): boolean {
    const { sessionId, rates } = this.#deps;
    return rates.waitMs({ sessionId, sender: senderOf(sender.identity), sizeBytes: 0, at }) > 0;
  }

  reportAll(): void {
    for (const sender of this.#open.keys()) this.#report(sender);
  }

  #admits({ kind, content, metadata, receivedAt: at, isOfApi }: StorableMessage): boolean {
    if (kind === 'participant_joined' || kind === 'participant_left') return true;
    const { payload } = metadata;
    const payloadBytes = payload === undefined ? 0 : Buffer.byteLength(JSON.stringify(payload));
    const sizeBytes = Buffer.byteLength(content) + payloadBytes;
    const { sessionId, rates } = this.#deps;
    const rated = isOfApi
      ? { sessionId: `${sessionId}/api`, sender: null }
      : { sessionId, sender: senderKeyOf(metadata) };
    return rates.take({ ...rated, sizeBytes, at }) === 0;
  }

  #passOn(message: StorableMessage): void {
    const { writer, leadership } = this.#deps;
    if (message.metadata.rawId === null) leadership.push(message);
    else writer.push(message);
  }

  #leaveOut(message: StorableMessage): void {
    const sender = senderKeyOf(message.metadata) ?? '';
    this.#deps.skipped.add('flood');
    const flood = this.#open.get(sender);
    if (flood) {
      flood.since = Math.min(flood.since, sinceOf(message));
      flood.until = Math.max(flood.until, message.receivedAt);
      flood.count += 1;
      return;
    }
    const end = new AbortController();
    const [since, until] = [sinceOf(message), message.receivedAt];
    this.#open.set(sender, { first: message, end, since, until, count: 1 });
    void pause(this.#deps.reportMs, end.signal).then((isDue) => isDue && this.#report(sender));
  }

  #report(sender: string): void {
    const flood = this.#open.get(sender);
    if (!flood) return;
    const { sessionId, log } = this.#deps;
    this.#open.delete(sender);
    flood.end.abort();
    const { first, until, count } = flood;
    const writer = writerOf(first.metadata);
    const span = { sessionId, from: first.receivedAt, until, count };
    log.warn(
      { ...span, participant: writer.participant?.identity, candidates: writer.candidates },
      'messages not stored: sender exceeded SENDER_MESSAGES_PER_SECOND',
    );
    this.#passOn(floodGap({ ...span, ...writer }, uuidv7()));
  }
}

function senderKeyOf(metadata: RoomMessage['metadata']): string | null {
  const { participant, candidates = [] } = writerOf(metadata);
  if (participant) return senderOf(participant.identity);
  return candidates.length > 0 ? candidates.join(', ') : null;
}

/** Returns the writer, not the participant in whose name an agent wrote. */
function writerOf({
  participant,
  transcribers,
}: RoomMessage['metadata']): Pick<Flood, 'candidates' | 'participant'> {
  if (!transcribers) return { participant };
  const [identity, ...others] = transcribers;
  if (identity === undefined || others.length > 0) {
    return { participant: null, candidates: transcribers };
  }
  return { participant: { identity, name: '', sid: null, kind: 'agent' } };
}
