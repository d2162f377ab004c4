/** Null or undefined when nobody is signed in. */
export type Token = string | null | undefined;

/** `expired`: less than a tenth of the token's lifetime is left, or the API has `refused` it. */
interface TokenQuestion {
  readonly expired: boolean;
  readonly refused: boolean;
}

/** The bearer token itself, or a function that is called for each request and returns the token. */
export type TokenSource = string | AskedSource;

type AskedSource = (question: TokenQuestion) => Token | Promise<Token>;

interface Replacement {
  readonly old: Token;
  readonly next: Promise<Token>;
}

/** The token of one client. When several requests find it expired, the source is asked for a new one only once. */
export class Bearer {
  readonly #source: AskedSource;
  #last: Token;
  #renewAt = Infinity;
  #replacement: Replacement | undefined;
  #renewal: Promise<void> | undefined;

  constructor(source: TokenSource | undefined) {
    this.#source = typeof source === 'function' ? source : () => source;
    if (typeof source === 'string') this.#last = source;
  }

  get expiresAt(): Date | null {
    const { exp } = claimsOf(this.#last);
    return typeof exp === 'number' ? new Date(exp * 1000) : null;
  }

  async current(): Promise<Token> {
    const token = await this.#source({ expired: false, refused: false });
    // A source that does not store the new token still returns the old one.
    const isReplaced = token && token === this.#replacement?.old;
    const current = isReplaced ? await this.#replacement?.next : token;
    this.#note(current);
    if (Date.now() > this.#renewAt) {
      this.#renewAt = Infinity;
      // This request does not wait for the renewal. If the renewal fails, the old token is used until the API refuses it.
      this.#renewal = this.#renew(token, current).catch(() => {});
    }
    return current;
  }

  async #ask(refused: boolean): Promise<Token> {
    return await this.#source({ expired: true, refused });
  }

  async #renew(old: Token, last: Token): Promise<void> {
    const next = await this.#ask(false);
    // A different token may belong to a different user.
    if (!next || next === last || last !== this.#last) return;
    this.#replacement = { old, next: Promise.resolve(next) };
    this.#note(next);
  }

  async replace(old: string): Promise<Token> {
    await this.#renewal;
    if (this.#last !== old) return this.#last;
    if (this.#replacement?.old !== old) {
      this.#replacement = { old, next: this.#ask(true) };
    }
    const replacement = this.#replacement;
    let next: Token;
    try {
      next = await replacement.next;
      if (next === old) next = undefined;
      return next;
    } finally {
      if (!next) {
        if (this.#replacement === replacement) this.#replacement = undefined;
      } else if (this.#last === old) this.#note(next);
    }
  }

  /** Measures the lifetime from now, because this device's clock may differ from the API's. */
  #note(token: Token): void {
    if (token === this.#last) return;
    this.#last = token;
    const { iat, exp } = claimsOf(token);
    // NaN for a token without these times, which is renewed when it is refused.
    this.#renewAt = Date.now() + (Number(exp) - Number(iat)) * 900;
  }
}

/** Returns a text that differs between users and between end users. It is the same for all tokens without claims. */
export function userOf(token: Token): string {
  const { sub, as } = claimsOf(token);
  return JSON.stringify([sub, as], ['id']);
}

function claimsOf(token: Token): Readonly<Partial<Record<'iat' | 'exp' | 'sub' | 'as', unknown>>> {
  try {
    const payload = token?.split('.')[1] ?? '';
    const claims: object | null = JSON.parse(
      atob(payload.replaceAll('-', '+').replaceAll('_', '/')),
    );
    return claims ?? {};
  } catch {
    return {};
  }
}
