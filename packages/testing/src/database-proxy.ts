import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './free-port.ts';

const HOST = '127.0.0.1';

/**
 * A TCP proxy in front of a database, or of any other server, on a loopback port of its own. Its faults are named after what
 * a client sees. Disposal cuts all connections.
 */
export class DatabaseProxy implements AsyncDisposable {
  readonly url: string;
  readonly #target: URL;
  readonly #port: number;
  readonly #connections = new Map<Socket, Socket>();
  #isSilent = false;
  #server: Server | undefined;

  private constructor(databaseUrl: string, port: number) {
    this.#target = new URL(databaseUrl);
    this.#port = port;
    const url = new URL(databaseUrl);
    url.hostname = HOST;
    url.port = String(port);
    this.url = url.href;
  }

  /** Returns a proxy that already accepts connections and forwards them to the host and port of `databaseUrl`. */
  static async open(databaseUrl: string): Promise<DatabaseProxy> {
    // Not a port that the system chose: while connections are refused, it could give that port to an outgoing connection.
    const proxy = new DatabaseProxy(databaseUrl, await freePort(HOST));
    await proxy.acceptConnections();
    return proxy;
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  /** Open connections stay open, but nothing passes on them any more. New connections work. */
  silenceOpenConnections(): void {
    for (const ends of this.#connections) for (const socket of ends) socket.unpipe().pause();
  }

  /** Like a stopped server: open connections stay open and new ones are accepted, but nothing passes until `endSilence`. */
  silence(): void {
    this.#isSilent = true;
    this.silenceOpenConnections();
  }

  /** All that was held back by `silence` passes now, in order. */
  endSilence(): void {
    this.#isSilent = false;
    for (const [client, database] of this.#connections) forward(client, database);
  }

  /** Like a server that exits: open connections end without an error message. New connections work. */
  hangUp(): void {
    for (const client of this.#connections.keys()) client.end();
  }

  /** Open connections break, and new ones are refused until `acceptConnections`. Also ends a silence. */
  async refuseConnections(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#isSilent = false;
    if (!server) return;
    const closed = once(server, 'close');
    server.close();
    for (const client of this.#connections.keys()) client.destroy();
    await closed;
  }

  /** New connections work again, on the same port. */
  async acceptConnections(): Promise<void> {
    if (this.#server) return;
    this.#server = createServer((client) => this.#connect(client)).listen(this.#port, HOST);
    await once(this.#server, 'listening');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.refuseConnections();
  }

  #connect(client: Socket): void {
    const database = connect(Number(this.#target.port), this.#target.hostname);
    this.#connections.set(client, database);
    for (const socket of [client, database]) {
      socket.on('error', () => {});
      socket.once('close', () => {
        client.destroy();
        database.destroy();
        this.#connections.delete(client);
      });
    }
    if (!this.#isSilent) forward(client, database);
  }
}

function forward(client: Socket, database: Socket): void {
  client.pipe(database).pipe(client);
}
