import { pause } from '@session/kit';
import type { SessionWords } from './check-session.ts';
import type { ChaosConversation } from './conversation.ts';

const LATE_TALK_MS = 20_000;

/** Participants who join after Redis has lost its data. The server may lead them to a second room of the same name. */
export class LateTalk {
  readonly #converse: (prefix: string) => readonly ChaosConversation[];
  readonly #all: ChaosConversation[] = [];

  constructor(converse: (prefix: string) => readonly ChaosConversation[]) {
    this.#converse = converse;
  }

  async flush(flushRedis: (() => Promise<void>) | undefined, stop: AbortSignal): Promise<void> {
    await flushRedis?.();
    const joining = this.#converse(`late ${this.#all.length} `);
    this.#all.push(...joining);
    await pause(LATE_TALK_MS, stop);
    await Promise.all(joining.map((each) => each[Symbol.asyncDispose]()));
  }

  with(first: SessionWords): SessionWords {
    const all = [first, ...this.#all.filter(({ sessionId }) => sessionId === first.sessionId)];
    return {
      sessionId: first.sessionId,
      sent: Object.assign({}, ...all.map(({ sent }) => sent)),
      received: all.flatMap(({ received }) => received),
      accepted: all.flatMap(({ accepted }) => accepted),
    };
  }
}
