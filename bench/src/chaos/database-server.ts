import path from 'node:path';
import {
  firstFreePort,
  killFamily,
  preparePostgres,
  Service,
  type ServiceHost,
} from '@session/local';
import { DatabaseProxy } from '@session/testing';
import postgres, { type Sql } from 'postgres';

const HOST = '127.0.0.1';

/** A server that can be a primary, and later the standby of another one. It keeps its port. */
export class DatabaseServer implements AsyncDisposable {
  readonly name: string;
  readonly address: string;
  /** Relays the primary's changes to a standby, so that the standby can fall behind. */
  readonly relay: DatabaseProxy;
  readonly folder: string;
  readonly #port: number;
  readonly #password: string;
  readonly #host: ServiceHost;
  #service: Service | undefined;
  #pid = 0;

  private constructor(
    place: { readonly name: string; readonly folder: string; readonly port: number },
    password: string,
    relay: DatabaseProxy,
    host: ServiceHost,
  ) {
    this.name = place.name;
    this.folder = place.folder;
    this.address = `${HOST}:${place.port}`;
    this.relay = relay;
    this.#port = place.port;
    this.#password = password;
    this.#host = {
      ...host,
      note: async (...entry) => {
        [, this.#pid] = entry;
        await host.note(...entry);
      },
    };
  }

  static async open(
    name: string,
    parent: string,
    password: string,
    host: ServiceHost,
  ): Promise<DatabaseServer> {
    const port = await firstFreePort([], HOST);
    const place = { name, folder: path.join(parent, name), port };
    const relay = await DatabaseProxy.open(`postgres://${HOST}:${port}`);
    return new DatabaseServer(place, password, relay, host);
  }

  /** Starts the server, and restarts it whenever it ends. */
  async start(primary?: DatabaseServer): Promise<void> {
    const { spec } = await preparePostgres({
      folder: this.folder,
      host: HOST,
      port: this.#port,
      password: this.#password,
      ...(primary && {
        primary: { url: primary.#url, walPort: Number(new URL(primary.relay.url).port) },
      }),
    });
    this.#service = await Service.start({ ...spec, name: this.name }, this.#host);
  }

  /** Kills the server like a machine that fails: it does not start again. */
  async kill(): Promise<void> {
    await killFamily(this.#pid);
    await this.#service?.[Symbol.asyncDispose]();
    this.#service = undefined;
  }

  async ask(statement: (sql: Sql) => PromiseLike<readonly object[]>): Promise<readonly object[]> {
    const sql = postgres(this.#url, { max: 1, fetch_types: false, onnotice: () => {} });
    try {
      return await statement(sql);
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]();
    await this.relay[Symbol.asyncDispose]();
  }

  get #url(): string {
    return `postgres://postgres:${this.#password}@${this.address}/postgres`;
  }
}
