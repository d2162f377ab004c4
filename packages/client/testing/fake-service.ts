import type { Message, Session } from '@session/contract';
import type { ConversationApi } from '../src/conversation/parts.ts';
import { unlessAborted } from '../src/http/pause.ts';
import { ApiError, ConnectionError } from '../src/index.ts';
import { type Append, History } from './model/history.ts';

const USER_ID = '019a9f3c-5b1e-7d42-8a6f-1c2d3e4f5a6b';
const OWN = `user-${USER_ID}`;

export function refusal(status: number, code: string): ApiError {
  const texts = { title: code, detail: '', requestId: null };
  return new ApiError({ ...texts, status, code, errors: [], retryAfterMs: null });
}

/** The part of the API that a conversation needs, over a history in memory, with faults on demand. */
export class FakeService implements ConversationApi {
  readonly history = new History();
  readonly asked: string[] = [];
  /** The errors that requests throw, by method, or for `all` methods. */
  readonly faults = new Map<string, Error>();
  recording: Session['recording']['status'] = 'recording';
  status: Session['status'] = 'ACTIVE';
  readonly #wakes = new Set<() => void>();
  /** For how many seconds each `latest` would have waited. */
  readonly waits: number[] = [];
  readonly tokenModes: string[] = [];
  knowsNumbers = true;
  /** The sequence numbers of what was sent by `say`. */
  readonly saidNumbers: (number | undefined)[] = [];
  #ids = 0;
  readers: string[] | null = null;
  /** Whether streams begin; otherwise they are silent, as behind a proxy that holds them back. */
  hasStreams = false;
  /** Messages are stored when this resolves. */
  storing: Promise<void> = Promise.resolve();
  /** Pages that are requested now are answered when this resolves. */
  reading: Promise<void> = Promise.resolve();

  readonly auth: ConversationApi['auth'] = {
    me: async () => {
      this.#ask('me');
      return { id: USER_ID, name: 'Ada' };
    },
  };

  async *arrivals(...[, { since, signal }]: Parameters<ConversationApi['arrivals']>) {
    this.#ask('arrivals');
    if (this.hasStreams) yield [];
    for (let position = since; ; ) {
      const { items, nextSince, reset } = this.history.latest(position, 500);
      position = nextSince;
      if (this.hasStreams) {
        const messages = items.map((message) => {
          return { position: this.history.seenAt(message.id), message };
        });
        yield reset ? [{ position, message: null }] : messages;
      }
      await this.#woken(signal);
      this.#ask('arrived');
    }
  }

  readonly messages: ConversationApi['messages'] = {
    list: async (_, { cursor, limit = 50, signal }) => {
      signal?.throwIfAborted();
      this.#ask('list');
      await this.reading;
      const isKnown = cursor === undefined || this.history.rows.some(({ id }) => id === cursor);
      if (!isKnown) throw refusal(400, 'invalid_cursor');
      return this.history.page(cursor, limit);
    },
    latest: async (_, { since, limit = 100, wait = 0, signal }) => {
      signal?.throwIfAborted();
      this.waits.push(wait);
      this.#ask('latest');
      const answer = this.history.latest(since, limit);
      if (answer.items.length > 0 || answer.reset || wait === 0) return answer;
      await this.#woken(signal);
      this.#ask('waited');
      return this.history.latest(since, limit);
    },
    say: async (_, { id, content, seq }) => {
      this.#ask('say');
      this.saidNumbers.push(seq?.n);
      if (seq && !this.knowsNumbers) throw refusal(400, 'invalid_request');
      await this.storing;
      const row = this.append({ content, sender: OWN, ...(id !== undefined && { id }) });
      return { ...row, deliveredTo: this.readers };
    },
  };

  readonly retryNow: ConversationApi['retryNow'] = () => {};

  readonly sessions: ConversationApi['sessions'] = {
    createToken: async (roomName, { mode = 'join' }) => {
      this.#ask('createToken');
      this.tokenModes.push(mode);
      if (this.status === 'CLOSED') throw refusal(409, 'session_closed');
      const participantToken = `token ${this.count('createToken')}`;
      const rest = { participantIdentity: `${OWN}-abc123`, expiresAt: '2026-11-21T08:10:00.000Z' };
      const access = { accessToken: null, accessExpiresAt: null };
      return { serverUrl: 'ws://127.0.0.1:1', participantToken, roomName, ...rest, ...access };
    },
    get: async () => {
      this.#ask('get');
      return { status: this.status, recording: { status: this.recording } };
    },
  };

  append(part: Partial<Append> = {}): Message {
    this.#ids += 1;
    const id = `019a9f3d-0000-7000-8000-${String(this.#ids).padStart(12, '0')}`;
    const usual = { id, content: `row ${this.#ids}`, sender: 'ben', status: 'complete' } as const;
    const message = { ...usual, ...part };
    this.history.append(message);
    this.wake();
    const row = this.history.find(message);
    if (!row) throw new Error('it is stored');
    return row;
  }

  appendMany(count: number): void {
    for (let index = 0; index < count; index += 1) this.append();
  }

  wake(): void {
    for (const wake of this.#wakes) wake();
    this.#wakes.clear();
  }

  /** Makes the requests of one method fail, or all requests, waiting ones too. */
  cutOff(method = 'all'): void {
    this.faults.set(method, new ConnectionError('no answer'));
    this.wake();
  }

  count(method: string): number {
    return this.asked.filter((name) => name === method).length;
  }

  async #woken(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wakes.add(resolve);
    await unlessAborted(promise, signal);
  }

  #ask(method: string): void {
    this.asked.push(method);
    const fault = this.faults.get(method) ?? this.faults.get('all');
    if (fault) throw fault;
  }
}
