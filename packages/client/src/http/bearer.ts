import { isFields } from '@session/contract/room';

/** A bearer token; null or undefined when nobody is signed in. */
export type Token = string | null | undefined;

/**
 * Where the bearer token comes from: the token itself, or a function that returns it. The function is called for each
 * request. When the API refused a token it is called with `expired: true`, and returns a new token if it can.
 */
export type TokenSource =
  | string
  | ((question: { readonly expired: boolean }) => Token | Promise<Token>);

interface Replacement {
  readonly old: string;
  readonly next: Promise<Token>;
}

/** The token of one client. When several requests find the token expired, the source is asked for a new one only once. */
export class Bearer {
  readonly #source: TokenSource | undefined;
  #last: Token;
  #replacement: Replacement | undefined;

  constructor(source: TokenSource | undefined) {
    this.#source = source;
    if (typeof source === 'string') this.#last = source;
  }

  get expiresAt(): Date | null {
    const seconds = this.#last ? expiryOf(this.#last) : null;
    return seconds === null ? null : new Date(seconds * 1000);
  }

  async current(): Promise<Token> {
    const token =
      typeof this.#source === 'function' ? await this.#source({ expired: false }) : this.#source;
    // A source that does not store the new token still returns the old one.
    const isReplaced = token && token === this.#replacement?.old;
    this.#last = isReplaced ? await this.#replacement?.next : token;
    return this.#last;
  }

  async replace(old: string): Promise<Token> {
    if (typeof this.#source !== 'function') return undefined;
    if (this.#replacement?.old !== old) {
      this.#replacement = { old, next: ask(this.#source) };
    }
    const replacement = this.#replacement;
    try {
      const token = await replacement.next;
      if (token && token !== old) {
        this.#last = token;
        return token;
      }
    } catch (error) {
      this.#forget(replacement);
      throw error;
    }
    this.#forget(replacement);
    return undefined;
  }

  #forget(replacement: Replacement): void {
    if (this.#replacement === replacement) this.#replacement = undefined;
  }
}

async function ask(source: Exclude<TokenSource, string>): Promise<Token> {
  return await source({ expired: true });
}

function expiryOf(token: string): number | null {
  try {
    const payload = token.split('.')[1] ?? '';
    const claims: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    return isFields(claims) && typeof claims['exp'] === 'number' ? claims['exp'] : null;
  } catch {
    return null;
  }
}
