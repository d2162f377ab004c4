import { randomBytes } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import * as z from 'zod';

const FIRST_EMAIL = 'demo@console.example';
const TIMEOUT_MS = 10_000;
const MAX_TRIES = 3;

const LoggedIn = z.object({ token: z.string() });

export const DemoSettings = z.object({
  apiUrl: z.string(),
  password: z.string(),
  key: z.string(),
  email: z.string().nullable(),
});
export type DemoSettings = Readonly<z.infer<typeof DemoSettings>>;

interface DemoContext {
  readonly log: FastifyBaseLogger;
  readonly onEmail: (email: string) => void;
}

/**
 * The account with which visitors of a local stack try the console. It is an ordinary account of the API. Only this program
 * and the stack have its password. If the account does not exist or has another password, an account with another address is
 * created.
 */
export class DemoAccount {
  readonly #settings: DemoSettings;
  readonly #context: DemoContext;
  #email: string | null;
  #token: string | undefined;
  #asking: Promise<string> | undefined;

  constructor(settings: DemoSettings, context: DemoContext) {
    this.#settings = settings;
    this.#context = context;
    this.#email = settings.email;
  }

  get key(): string {
    return this.#settings.key;
  }

  /** Returns a token that the API accepts now. Concurrent callers get the same one. Throws when the API returns none. */
  async token(): Promise<string> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return await this.#asking;
  }

  async #ask(): Promise<string> {
    try {
      if (this.#token === undefined || !(await this.#isAccepted(this.#token))) {
        this.#token = (await this.#logIn(this.#email)) ?? (await this.#make());
      }
      return this.#token;
    } catch (error) {
      this.#context.log.warn({ err: error }, 'getting token of demo account failed');
      throw error;
    }
  }

  async #isAccepted(token: string): Promise<boolean> {
    const headers = { authorization: `Bearer ${token}` };
    return (await this.#fetch('/auth/me', { headers })).status === 200;
  }

  async #logIn(email: string | null): Promise<string | undefined> {
    if (email === null) return undefined;
    const answer = await this.#post('/auth/login', { email, password: this.#settings.password });
    return answer.status === 401 ? undefined : await tokenOf(answer);
  }

  async #make(): Promise<string> {
    const { password } = this.#settings;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const isFirst = tries === 0 && this.#email === null;
      const email = isFirst
        ? FIRST_EMAIL
        : `demo-${randomBytes(4).toString('hex')}@console.example`;
      const answer = await this.#post('/auth/signup', { email, password, name: 'Demo' });
      // An earlier start may have created this account, and ended before its address was stored.
      const token = answer.status === 409 ? await this.#logIn(email) : await tokenOf(answer);
      if (token === undefined) continue;
      this.#email = email;
      this.#context.onEmail(email);
      this.#context.log.info({ email }, 'demo account created');
      return token;
    }
    throw new Error('the addresses tried for the demo account are taken: try again');
  }

  async #post(path: string, content: object): Promise<Response> {
    const headers = { 'content-type': 'application/json' };
    return await this.#fetch(path, { method: 'POST', headers, body: JSON.stringify(content) });
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    return await fetch(`${this.#settings.apiUrl}${path}`, { ...init, signal });
  }
}

async function tokenOf(answer: Response): Promise<string> {
  if (!answer.ok) {
    throw new Error(`the API answered ${answer.status}, not a token: check the log of the API`);
  }
  return LoggedIn.parse(await answer.json()).token;
}
