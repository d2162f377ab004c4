import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A way to a database, on a port of its own. */
export interface Way extends AsyncDisposable {
  readonly url: string;
  /** Lets nothing pass any more on the connections that there are; new ones work. */
  freeze(): void;
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
  const sockets = new Set<Socket>();
  const nears = new Set<Socket>();
  let server: Server;
  const listen = async (port: number) => {
    server = createServer((near) => {
      const far = connect(Number(target.port), target.hostname);
      nears.add(near);
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket.on('error', () => {});
        socket.once('close', () => {
          near.destroy();
          far.destroy();
          sockets.delete(socket);
          nears.delete(near);
        });
      }
      near.pipe(far).pipe(near);
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
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  };
  return {
    url: url.href,
    cut,
    mend: async () => void (await listen(port)),
    hangUp: () => {
      for (const socket of nears) socket.end();
    },
    freeze: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    [Symbol.asyncDispose]: cut,
  };
}
