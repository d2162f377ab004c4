import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { GeneratedRequest } from './generated-request.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export class Sender implements Disposable {
  readonly #url: URL;
  readonly #timeoutMs: number;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(url: string, timeoutMs: number) {
    this.#url = new URL(url);
    this.#timeoutMs = timeoutMs;
  }

  /** Sends a request and returns the answer. Throws if there is no answer in time. An empty `token` is not sent. */
  async send({ method, path, headers, body }: GeneratedRequest, token: string): Promise<Answer> {
    const { hostname, port } = this.#url;
    const sent = request({
      hostname,
      port,
      method,
      path,
      agent: this.#agent,
      signal: AbortSignal.timeout(this.#timeoutMs),
      headers: {
        ...headers,
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      },
    });
    return await new Promise((resolve, reject) => {
      sent.once('error', reject);
      sent.once('response', (answer) => {
        const { statusCode: status = 0, headers: answerHeaders } = answer;
        // An event stream may stay open for an hour.
        if (answerHeaders['content-type']?.startsWith('text/event-stream')) {
          answer.destroy();
          resolve({ status, headers: answerHeaders, body: '' });
          return;
        }
        text(answer).then(
          (content) => resolve({ status, headers: answerHeaders, body: content }),
          reject,
        );
      });
      sent.end(body);
    });
  }

  /** Returns a shell command that sends the request again, with the token in `$TOKEN`. */
  curl({ method, path, headers, body, token }: GeneratedRequest): string {
    const parts = ['curl -i', method === 'HEAD' ? '-I' : `-X ${method}`];
    parts.push(quoted(new URL(path, this.#url).href));
    for (const [name, value] of Object.entries(headers))
      parts.push(`-H ${quoted(`${name}: ${value}`)}`);
    if (token === 'valid') parts.push('-H "authorization: Bearer $TOKEN"');
    if (body !== undefined) parts.push(`--data-raw ${quoted(body)}`);
    return parts.join(' ').slice(0, 5000);
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", String.raw`'\''`)}'`;
}
