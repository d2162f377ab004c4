import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { DatabaseProxy } from './database-proxy.ts';
import { freePort } from './free-port.ts';

/** Long enough for an answer over loopback, so that an answer that has not come by then was held back. */
const SILENCE_MS = 100;

test('the URL keeps user, password, database and options, and names the proxy’s own host and port', async () => {
  await using proxy = await DatabaseProxy.open('postgres://ana:secret@db.invalid:5432/history?a=b');
  const { port } = new URL(proxy.url);
  expect(proxy.url).toBe(`postgres://ana:secret@127.0.0.1:${port}/history?a=b`);
  expect(port).not.toBe('5432');
});

test('what a client sends arrives and is answered, on each connection apart', async () => {
  await using proxy = await openEchoProxy();
  const clients = [await Client.open(proxy), await Client.open(proxy)];
  for (const [index, client] of clients.entries()) client.send(`from ${index}`);
  for (const [index, client] of clients.entries())
    await expect.poll(() => client.text).toBe(`from ${index}`);
  expect(proxy.connectionCount).toBe(2);
});

test('silent open connections stay open and unanswered, while a new connection works', async () => {
  await using proxy = await openEchoProxy();
  const old = await Client.open(proxy);
  old.send('before');
  await expect.poll(() => old.text).toBe('before');
  proxy.silenceOpenConnections();
  const fresh = await Client.open(proxy);
  old.send('after');
  fresh.send('hello');
  await expect.poll(() => fresh.text).toBe('hello');
  await sleep(SILENCE_MS);
  expect(old.text).toBe('before');
  expect(old.isClosed).toBe(false);
});

test('a silent server accepts connections and answers none; at the end of the silence all is answered in order', async () => {
  await using proxy = await openEchoProxy();
  const old = await Client.open(proxy);
  old.send('0,');
  await expect.poll(() => old.text).toBe('0,');
  proxy.silence();
  const fresh = await Client.open(proxy);
  for (let number = 1; number < 20; number += 1) old.send(`${number},`);
  fresh.send('hello');
  await sleep(SILENCE_MS);
  expect([old.text, fresh.text]).toEqual(['0,', '']);
  proxy.endSilence();
  await expect.poll(() => fresh.text).toBe('hello');
  await expect
    .poll(() => old.text)
    .toBe(Array.from({ length: 20 }, (_, number) => `${number},`).join(''));
});

test('a server that hangs up ends open connections without an error, and accepts the next one', async () => {
  await using proxy = await openEchoProxy();
  const old = await Client.open(proxy);
  proxy.hangUp();
  await expect.poll(() => old.isClosed).toBe(true);
  expect(old.error).toBeUndefined();
  const fresh = await Client.open(proxy);
  fresh.send('hello');
  await expect.poll(() => fresh.text).toBe('hello');
});

test.each(['open', 'silenced'])(
  'refused connections: %s ones break, new ones are refused, until they are accepted again',
  async (state) => {
    await using proxy = await openEchoProxy();
    const old = await Client.open(proxy);
    if (state === 'silenced') proxy.silence();
    await proxy.refuseConnections();
    await expect.poll(() => old.isClosed).toBe(true);
    expect(proxy.connectionCount).toBe(0);
    await expect(Client.open(proxy)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await proxy.acceptConnections();
    const fresh = await Client.open(proxy);
    fresh.send('hello');
    await expect.poll(() => fresh.text).toBe('hello');
  },
);

test('connections to a server that is not there end, and are not counted', async () => {
  await using proxy = await DatabaseProxy.open(`tcp://127.0.0.1:${await freePort('127.0.0.1')}`);
  const client = await Client.open(proxy);
  await expect.poll(() => client.isClosed).toBe(true);
  await expect.poll(() => proxy.connectionCount).toBe(0);
});

test('refusing twice and accepting twice is the same as once, and so is disposal after a refusal', async () => {
  await using proxy = await openEchoProxy();
  await Promise.all([proxy.refuseConnections(), proxy.refuseConnections()]);
  await proxy.acceptConnections();
  await proxy.acceptConnections();
  const client = await Client.open(proxy);
  client.send('hello');
  await expect.poll(() => client.text).toBe('hello');
  await proxy.refuseConnections();
});

/** Returns a proxy in front of a server that sends back what it receives. */
async function openEchoProxy(): Promise<DatabaseProxy> {
  const server = createServer((socket) => void socket.on('error', () => {}).pipe(socket));
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return await DatabaseProxy.open(`tcp://127.0.0.1:${port}`);
}

class Client {
  readonly #socket: Socket;
  text = '';
  error: Error | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('utf8').on('data', (chunk: string) => (this.text += chunk));
    socket.on('error', (error) => (this.error = error));
  }

  static async open(proxy: DatabaseProxy): Promise<Client> {
    const { port, hostname } = new URL(proxy.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new Client(socket);
  }

  get isClosed(): boolean {
    return this.#socket.closed;
  }

  send(text: string): void {
    this.#socket.write(text);
  }
}
