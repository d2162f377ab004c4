import { failureOf, saysUnavailable } from './answers.ts';

export class AnswerTally {
  readonly #mayBeUnavailable: boolean;
  #answered = 0;
  #unavailable = 0;
  readonly #failures: string[] = [];

  constructor(mayBeUnavailable: boolean) {
    this.#mayBeUnavailable = mayBeUnavailable;
  }

  get answered(): number {
    return this.#answered;
  }

  get unavailable(): number {
    return this.#unavailable;
  }

  get failures(): readonly string[] {
    return this.#failures;
  }

  readonly fetch: typeof fetch = async (input, init) => {
    const failed = (error: unknown) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      if (!init?.signal?.aborted) this.#failures.push(`${pathname}: ${reasonOf(error)}`);
    };
    try {
      const answer = await fetch(input, init);
      if (answer.ok) return new Response(this.#counted(answer, failed), answer);
      const text = await answer.clone().text();
      if (this.#mayBeUnavailable && saysUnavailable(answer, text)) this.#unavailable += 1;
      else if (!isOfFormerApi(answer, text)) this.#failures.push(failureOf(answer, text));
      return answer;
    } catch (error) {
      failed(error);
      throw error;
    }
  };

  #counted(
    { body }: Response,
    failed: (error: unknown) => void,
  ): ReadableStream<Uint8Array> | null {
    const ended = () => {
      this.#answered += 1;
    };
    async function* pieces(source: ReadableStream<Uint8Array>) {
      try {
        yield* source;
      } catch (error) {
        failed(error);
        throw error;
      }
      ended();
    }
    return body && ReadableStream.from(pieces(body));
  }
}

/**
 * Returns whether a refusal comes from an API of the former release, which has neither streams nor numbers of messages. Clients
 * continue without both.
 */
function isOfFormerApi({ status, url }: Response, text: string): boolean {
  const isStream = new URL(url).pathname.endsWith('/messages/stream');
  if (status === 404) return isStream && text.includes('There is no GET');
  return status === 400 && text.includes('body.seq: There is no field with this name');
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
