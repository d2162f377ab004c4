import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A way to the database that fails when it is told to. */
export interface TestWay extends AsyncDisposable {
  /** The database's URL, by this way. */
  readonly url: string;
  /** From now on the database is away: connections are cut, and new ones end at once. */
  cut(): void;
  /** From now on nothing passes any more, and nothing is refused. */
  freeze(): void;
  /** New connections pass again. */
  open(): void;
}

/** Opens a way to the database at `databaseUrl`. */
export async function openWay(databaseUrl: string): Promise<TestWay> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let state: 'open' | 'frozen' | 'cut' = 'open';
  const server = createServer((near) => {
    if (state === 'cut') {
      near.destroy();
      return;
    }
    keep(near);
    if (state === 'frozen') return;
    const far = connect(Number(target.port), target.hostname);
    keep(far);
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  const keep = (socket: Socket) => {
    sockets.add(socket.on('error', () => {}).once('close', () => sockets.delete(socket)));
  };
  await once(server, 'listening');
  const address = server.address();
  const url = new URL(target);
  url.port = String(typeof address === 'object' ? address?.port : '');
  const cut = () => {
    state = 'cut';
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    cut,
    freeze() {
      state = 'frozen';
      for (const socket of sockets) socket.unpipe().pause();
    },
    open() {
      state = 'open';
    },
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
