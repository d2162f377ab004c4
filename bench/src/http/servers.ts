import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { firstFreePort, nodeFlags } from '@session/local';
import { createSigner } from 'fast-jwt';
import { MeasuredProgram } from '../measure/program.ts';
import { HOST } from '../measure/servers.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const api = 'apps/api/src/main.ts';
const bare = path.join(import.meta.dirname, 'bare-server.ts');

export interface Server {
  readonly program: MeasuredProgram;
  readonly address: string;
}

export class Servers implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack();
  readonly #folder: string;
  readonly #secret = randomBytes(48).toString('base64');

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Starts the API of a checkout, by default this one, as deployed, with secrets and addresses of the bench. Its followers
   * are off unless `variables` say otherwise: they would index all messages of a new database during the measurement.
   */
  async startApi(
    databaseUrl: string,
    variables: NodeJS.ProcessEnv = {},
    checkout = root,
  ): Promise<Server> {
    const env = {
      JWT_SECRET: this.#secret,
      MEDIA_URL: 'ws://127.0.0.1:1',
      MEDIA_API_KEY: 'bench',
      MEDIA_API_SECRET: randomBytes(48).toString('base64'),
      DATABASE_URL: databaseUrl,
      METRICS_PORT: String(await firstFreePort([], HOST)),
      // All users of a bench have one address.
      RATE_LIMIT_LOGIN_PER_MINUTE: '0',
      AGENT_PROCESS_DIR: path.join(this.#folder, 'agents'),
      FOLLOWERS: 'off',
      ...variables,
    };
    return await this.#listening(path.join(checkout, api), env, nodeFlags('api'));
  }

  async startBare(databaseUrl: string): Promise<Server> {
    return await this.#listening(bare, { DATABASE_URL: databaseUrl });
  }

  /** Returns the headers of a request: the API reads the token, the bare server the id. */
  headersOf(userId: string): Record<string, string> {
    const sign = createSigner({ key: this.#secret, algorithm: 'HS256', expiresIn: '1d' });
    const token = sign({ sub: userId, iss: 'session-service', aud: 'session-service-api' });
    return { authorization: `Bearer ${token}`, 'x-user-id': userId };
  }

  async #listening(
    file: string,
    env: NodeJS.ProcessEnv,
    flags: readonly string[] = [],
  ): Promise<Server> {
    const port = await firstFreePort([], HOST);
    const program = await MeasuredProgram.start(file, { ...env, PORT: String(port) }, flags);
    this.#stack.use(program);
    return { program, address: `http://${HOST}:${port}` };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}
