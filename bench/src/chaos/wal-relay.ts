import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { firstFreePort } from '@session/local';

const HOST = '127.0.0.1';

/** Relays the primary's changes to a standby, so that the standby can fall behind. */
export class WalRelay implements AsyncDisposable {
  readonly port: number;
  readonly #primaryPort: number;
  readonly #server = createServer((standby) => this.#connect(standby));
  readonly #connections = new Map<Socket, Socket>();

  private constructor(port: number, primaryPort: number) {
    this.port = port;
    this.#primaryPort = primaryPort;
  }

  static async open(primaryPort: number): Promise<WalRelay> {
    const relay = new WalRelay(await firstFreePort([], HOST), primaryPort);
    relay.#server.listen(relay.port, HOST);
    await once(relay.#server, 'listening');
    return relay;
  }

  /** From now on the standby receives nothing, and its answers no longer reach the primary. */
  hold(): void {
    for (const ends of this.#connections) for (const socket of ends) socket.unpipe().pause();
  }

  /** Breaks the connections, and drops what was held back. */
  cut(): void {
    for (const standby of this.#connections.keys()) standby.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    await this.#server[Symbol.asyncDispose]();
  }

  #connect(standby: Socket): void {
    const primary = connect(this.#primaryPort, HOST);
    this.#connections.set(standby, primary);
    for (const socket of [standby, primary]) {
      socket.on('error', () => {});
      socket.once('close', () => {
        standby.destroy();
        primary.destroy();
        this.#connections.delete(standby);
      });
    }
    standby.pipe(primary).pipe(standby);
  }
}
