import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { StartError } from '@session/kit';
import { toBytes, tone } from '@session/testing';
import { type LoopbackServer, serve } from '@session/testing/serve';

export interface TimedSpeechRequest {
  readonly receivedAt: number;
  readonly answeredAt: number;
}

const WORDS = 'Good morning. Can you hear me?';
const SOUND_MS = 800;
const KINDS = ['transcriptions', 'speech'] as const;
type Kind = (typeof KINDS)[number];

/**
 * Speech endpoints like OpenAI's, which record when they were asked. They answer at once, or through the server at
 * `target`.
 */
export class TimedSpeech implements AsyncDisposable {
  readonly #requests: Record<Kind, TimedSpeechRequest[]> = { transcriptions: [], speech: [] };
  readonly #target: string | undefined;
  #server: LoopbackServer | undefined;

  private constructor(target: string | undefined) {
    this.#target = target;
  }

  static async open(target?: string): Promise<TimedSpeech> {
    const speech = new TimedSpeech(target);
    speech.#server = await serve((request, response) => {
      speech.#answer(request, response).catch(() => response.destroy());
    });
    return speech;
  }

  get variables(): Record<string, string> {
    const url = `${this.#server?.url}/v1`;
    // Without a target, the sound that stands for speech is not a finished sentence, so only the longest pause ends the turn.
    const turns = this.#target === undefined ? { TURN_MAX_MS: '700' } : {};
    return { STT_BASE_URL: url, TTS_BASE_URL: url, ...turns };
  }

  firstAfter(kind: Kind, since: number): TimedSpeechRequest | undefined {
    return this.#requests[kind].find(({ answeredAt }) => answeredAt > since);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const receivedAt = performance.now();
    const kind = KINDS.find((name) => request.url === `/v1/audio/${name}`);
    const body = await buffer(request);
    if (!kind) return void response.writeHead(404).end();
    const answered = () => {
      this.#requests[kind].push({ receivedAt, answeredAt: performance.now() });
    };
    if (this.#target !== undefined) {
      const headers = { 'content-type': request.headers['content-type'] ?? '' };
      const url = `${this.#target}/audio/${kind}`;
      const result = await fetch(url, { method: 'POST', headers, body });
      response.writeHead(result.status, {
        'content-type': result.headers.get('content-type') ?? '',
      });
      const parts = result.body?.[Symbol.asyncIterator]();
      let part = await parts?.next();
      answered();
      while (part && !part.done) {
        response.write(part.value);
        part = await parts?.next();
      }
      response.end();
      return;
    }
    answered();
    if (kind === 'speech') response.end(toBytes(tone(440, SOUND_MS)));
    else
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ text: WORDS }));
  }
}

/** Returns a sentence that the speech server at `target` speaks, at 24,000 samples a second. */
export async function spokenSentence(target: string): Promise<Int16Array<ArrayBuffer>> {
  const body = { model: 'tts-1', voice: 'alloy', input: WORDS, response_format: 'pcm' };
  const answer = await fetch(`${target}/audio/speech`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) {
    throw new StartError(`The speech server answered ${answer.status}: check --speech-url.`);
  }
  return new Int16Array(await answer.arrayBuffer());
}
