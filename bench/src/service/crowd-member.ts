import type { Client } from '@session/client';
import { decode, type RoomEvent } from '@session/contract/room';
import { AppError, pause } from '@session/kit';
import { v7 as uuidv7 } from 'uuid';
import { sendRegularly, type Talk } from '../chaos/channels.ts';
import type { ReceivedMessage } from '../chaos/check-history.ts';
import type { SessionWords } from '../chaos/check-session.ts';
import { RejoiningParticipant } from '../chaos/rejoining-participant.ts';
import type { CrowdTally } from './figures.ts';

const WORDS = 'What do we need for the journey on Tuesday, and who brings the tickets?';
const ANSWER = 'You said: ';
const WAIT_SECONDS = 25;
const READ_EVERY_MS = 10_000;
const PAGE = 50;
const RETRY_MS = 1000;

export interface CrowdMemberOptions {
  readonly client: Client;
  readonly mediaUrl: string;
  readonly sessionId: string;
  readonly hasAgent: boolean;
  readonly tally: CrowdTally;
}

/** Talks and reads as clients do: waits for messages, and reads the session and its newest messages every ten seconds. */
export class CrowdMember implements AsyncDisposable {
  readonly #options: CrowdMemberOptions;
  readonly #participant: RejoiningParticipant;
  readonly #reading = new AbortController();
  readonly #talking = new AbortController();
  readonly #talk: Talk;
  readonly #received: ReceivedMessage[] = [];
  readonly #unanswered = new Map<string, number>();
  #activities: Promise<unknown> = Promise.resolve();

  constructor(options: CrowdMemberOptions) {
    const { client, mediaUrl, sessionId } = options;
    this.#options = options;
    this.#talk = {
      prefix: '',
      sent: {},
      sentAt: new Map(),
      parts: [],
      signal: this.#talking.signal,
    };
    const token = async () => (await client.sessions.createToken(sessionId)).participantToken;
    this.#participant = new RejoiningParticipant(mediaUrl, token, (event) => this.#receive(event));
  }

  get isInRoom(): boolean {
    return this.#participant.room !== undefined;
  }

  get unread(): number {
    return this.#talk.sentAt.size;
  }

  get unanswered(): number {
    return this.#unanswered.size;
  }

  begin(everyMs: number, delayMs: number): void {
    const say = async () => {
      await pause(delayMs, this.#talking.signal);
      await sendRegularly(this.#talk, WORDS, everyMs, (content) => this.#say(content));
    };
    this.#activities = Promise.all([say(), this.#wait(), this.#read()]);
  }

  stopTalking(): void {
    this.#talking.abort();
  }

  words(): SessionWords {
    const { sessionId, hasAgent } = this.#options;
    const { sent } = this.#talk;
    const answers = Object.entries(sent).map(([channel, contents]) => [
      `answers: ${channel}`,
      contents.map((content) => `${ANSWER}${content}`),
    ]);
    return {
      sessionId,
      sent: hasAgent ? { ...sent, ...Object.fromEntries(answers) } : sent,
      received: this.#received,
      accepted: [],
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#talking.abort();
    this.#reading.abort();
    await this.#activities;
    await this.#participant[Symbol.asyncDispose]();
  }

  async #say(content: string): Promise<void> {
    const { hasAgent, tally } = this.#options;
    const sentAt = Date.now();
    if (hasAgent) this.#unanswered.set(content, sentAt);
    try {
      const { room } = this.#participant;
      if (!room) throw new AppError('media_unavailable', 'not in the room');
      const id = await room.say(content);
      tally.said();
      this.#received.push({ id, content, sentAt, receivedAt: Date.now() });
    } catch (error) {
      tally.failed('unsaid', error);
      this.#unanswered.delete(content);
      this.#talk.sentAt.delete(content);
      throw error;
    }
  }

  #receive(event: RoomEvent): void {
    const { sessionId, tally } = this.#options;
    const { outcome, ...rest } = decode(event, { sessionId, newId: uuidv7 });
    if (outcome !== 'store' || !('message' in rest)) return;
    const { id, content, metadata } = rest.message;
    if (!content.startsWith(ANSWER)) return;
    const said = content.slice(ANSWER.length);
    const receivedAt = Date.now();
    const sentAt = this.#unanswered.get(said);
    this.#unanswered.delete(said);
    if (sentAt !== undefined) tally.time('answeredMs', receivedAt - sentAt);
    const sentId = metadata.rawId === null ? null : id;
    this.#received.push({ id: sentId, content, sentAt: sentAt ?? receivedAt, receivedAt });
  }

  async #wait(): Promise<void> {
    const { client, sessionId, tally } = this.#options;
    const { signal } = this.#reading;
    let since = new Date().toISOString();
    while (!signal.aborted) {
      try {
        const ask = { since, wait: WAIT_SECONDS, signal };
        const { items, nextSince } = await client.messages.latest(sessionId, ask);
        const now = Date.now();
        for (const { content } of items) {
          const sentAt = this.#talk.sentAt.get(content);
          if (sentAt !== undefined) tally.time('readableMs', now - sentAt);
          this.#talk.sentAt.delete(content);
        }
        since = nextSince;
      } catch (error) {
        if (!signal.aborted) tally.failed('failures', error);
        await pause(RETRY_MS, signal);
      }
    }
  }

  async #read(): Promise<void> {
    const { client, sessionId, tally } = this.#options;
    const { signal } = this.#reading;
    const time = async (request: (options: { signal: AbortSignal }) => Promise<unknown>) => {
      const began = performance.now();
      try {
        await request({ signal });
        tally.time('readsMs', performance.now() - began);
      } catch (error) {
        if (!signal.aborted) tally.failed('failures', error);
      }
    };
    await pause(Math.random() * READ_EVERY_MS, signal);
    while (!signal.aborted) {
      await time((options) => client.sessions.get(sessionId, options));
      await time((options) => client.messages.list(sessionId, { ...options, limit: PAGE }));
      await pause(READ_EVERY_MS, signal);
    }
  }
}
