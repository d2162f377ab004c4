import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A way to a database, on a port of its own. */
export interface Way extends AsyncDisposable {
  readonly url: string;
  /** How many there are. */
  readonly connectionCount: number;
  /** Lets nothing pass any more on the connections that there are; new ones work. */
  freeze(): void;
  /** Lets nothing pass any more, on those that come either: as a server that is stopped, they are taken and get no answer. */
  stall(): void;
  /** Lets all pass that `stall` has kept. */
  resume(): void;
  /** Ends the connections that there are as a server does that goes: without a word. New ones work. */
  hangUp(): void;
  /** Ends all connections, and takes no new ones. */
  cut(): Promise<void>;
  /** Takes connections again, on the same port. */
  mend(): Promise<void>;
}

/** Gives a way to the database at `databaseUrl`, on which faults can be had. */
export async function openWay(databaseUrl: string): Promise<Way> {
  const target = new URL(databaseUrl);
  /** The near ends, each with its far one. */
  const pairs = new Map<Socket, Socket>();
  let isStalled = false;
  let server: Server;
  const listen = async (port: number) => {
    server = createServer((near) => {
      const far = connect(Number(target.port), target.hostname);
      pairs.set(near, far);
      for (const socket of [near, far]) {
        socket.on('error', () => {});
        socket.once('close', () => {
          near.destroy();
          far.destroy();
          pairs.delete(near);
        });
      }
      if (!isStalled) near.pipe(far).pipe(near);
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' ? (address?.port ?? 0) : 0;
  };
  const port = await listen(0);
  const url = new URL(target);
  url.port = String(port);
  const cut = async () => {
    if (!server.listening) return;
    server.close();
    for (const near of pairs.keys()) near.destroy();
    await once(server, 'close');
  };
  const freeze = () => {
    for (const sockets of pairs) for (const socket of sockets) socket.unpipe().pause();
  };
  return {
    url: url.href,
    get connectionCount() {
      return pairs.size;
    },
    freeze,
    stall() {
      isStalled = true;
      freeze();
    },
    resume() {
      isStalled = false;
      for (const [near, far] of pairs) near.pipe(far).pipe(near);
    },
    hangUp() {
      for (const near of pairs.keys()) near.end();
    },
    cut,
    mend: async () => void (await listen(port)),
    [Symbol.asyncDispose]: cut,
  };
}
