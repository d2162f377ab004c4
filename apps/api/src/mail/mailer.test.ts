import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { freePort } from '@session/testing';
import type { Registry } from 'prom-client';
import { expect, onTestFinished, test } from 'vitest';
import { contentOf, startMailServer } from '../../testing/mail-server.ts';
import { createMetrics } from '../http/metrics/metrics.ts';
import { Mailer } from './mailer.ts';

const FROM = 'Sitzungen für alle <sessions@example.org>';
const MAIL = {
  to: 'ben@example.org',
  subject: 'Einladung zu “Größe 日本”',
  text: 'Guten Tag, grüße!\n\nhttps://console.example.org/invitation#a-secret-that-is-long-enough-to-be-a-secret-of-a-link\n',
};
/**
 * The server has a long time for each answer, because this process may stand still meanwhile and most tests count
 * attempts.
 */
const QUICK = { retryMs: [1, 1], answerMs: 60_000, drainMs: 300 };

function open(smtpUrl: string | undefined, timing = QUICK) {
  const metrics = createMetrics();
  const logged: unknown[][] = [];
  const mailer = new Mailer({
    mail: smtpUrl === undefined ? undefined : { smtpUrl, from: FROM },
    metrics,
    log: { warn: (...line: unknown[]) => void logged.push(line) },
    timing,
  });
  onTestFinished(() => mailer[Symbol.asyncDispose]());
  return { mailer, logged, counts: () => countsOf(metrics.registry) };
}

async function countsOf(registry: Registry): Promise<Record<string, number>> {
  const metric = await registry.getSingleMetric('session_mails_total')?.get();
  return Object.fromEntries(
    metric?.values.map(({ labels, value }) => [labels['result'], value]) ?? [],
  );
}

test('a mail arrives in UTF-8, after a log-in, with its sender', async () => {
  const logins: string[] = [];
  await using server = await startMailServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth({ username, password }, _, callback) {
      logins.push(`${username} ${password}`);
      callback(null, { user: username });
    },
  });
  const url = server.url.replace('//', '//us%40er:pass%2Fword@');
  const { mailer, counts } = open(`${url}?requireTLS=false`);
  expect(mailer.send('ana', async () => MAIL)).toBe(true);
  await expect.poll(() => server.mails).toHaveLength(1);
  const [mail] = server.mails;
  expect(mail).toMatchObject({ from: 'sessions@example.org', to: ['ben@example.org'] });
  expect(mail && contentOf(mail)).toEqual({ subject: MAIL.subject, body: MAIL.text });
  expect(logins).toEqual(['us@er pass/word']);
  await expect.poll(counts).toEqual({ sent: 1, failed: 0, dropped: 0 });
});

test('a password is not sent without TLS, unless the URL says so', async () => {
  const logins: unknown[] = [];
  await using server = await startMailServer({
    allowInsecureAuth: true,
    onAuth: (auth, _, callback) => {
      logins.push(auth);
      callback(null, { user: 'user' });
    },
  });
  const { mailer, counts, logged } = open(server.url.replace('//', '//user:password@'));
  mailer.send('ana', async () => MAIL);
  await expect.poll(counts).toMatchObject({ failed: 1 });
  expect([logins, server.mails]).toEqual([[], []]);
  expect(logged).toEqual([[{ code: 'ETLS', status: 500 }, 'gave up sending mail']]);
});

test('what a server refuses for now is tried again, and what it refuses for good is not', async () => {
  let [greylisted, refused] = [0, 0];
  await using server = await startMailServer({
    onRcptTo({ address }, _, callback) {
      const isGrey = address.startsWith('grey');
      const error = new Error(`<${address}> is not known`);
      if (isGrey) greylisted += 1;
      else refused += 1;
      if (isGrey && greylisted === 2) callback(null);
      else callback(Object.assign(error, { responseCode: isGrey ? 450 : 550 }));
    },
  });
  const { mailer, counts, logged } = open(server.url);
  mailer.send('ana', async () => ({ ...MAIL, to: 'grey@example.org' }));
  mailer.send('ana', async () => ({ ...MAIL, to: 'gone@example.org' }));
  await expect.poll(counts).toEqual({ sent: 1, failed: 1, dropped: 0 });
  expect([greylisted, refused]).toEqual([2, 1]);
  expect(server.mails.map(({ to }) => to)).toEqual([['grey@example.org']]);
  expect(logged).toEqual([[{ code: 'EENVELOPE', status: 550 }, 'gave up sending mail']]);
});

test('a server that is away is asked again, then the mail is given up, without a word of it in the log', async () => {
  const { mailer, counts, logged } = open(`smtp://127.0.0.1:${await freePort('127.0.0.1')}`);
  let composed = 0;
  mailer.send('ana', async () => {
    composed += 1;
    return MAIL;
  });
  await expect.poll(counts).toMatchObject({ failed: 1 });
  expect(composed).toBe(1);
  expect(logged).toEqual([[{ code: 'ESOCKET' }, 'gave up sending mail']]);
});

test('what a mail needs may fail at first, and there may be none to send', async () => {
  await using server = await startMailServer();
  const { mailer, counts } = open(server.url);
  let composed = 0;
  mailer.send('ana', async () => {
    composed += 1;
    if (composed === 1) throw new Error('the database is away');
    return MAIL;
  });
  mailer.send('ana', async () => undefined);
  await expect.poll(counts).toEqual({ sent: 1, failed: 0, dropped: 0 });
});

/** A server that accepts connections and never sends anything. */
async function startSilentServer(): Promise<
  { url: string; connections: () => number } & Disposable
> {
  let connections = 0;
  const server: Server = createServer(() => {
    connections += 1;
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return {
    url: `smtp://127.0.0.1:${port}`,
    connections: () => connections,
    [Symbol.dispose]: () => void server.close(),
  };
}

test('a server that hangs holds four mails, and up to a thousand wait; the end of the process waits for none of them long', async () => {
  using server = await startSilentServer();
  const { mailer, counts, logged } = open(server.url, { ...QUICK, drainMs: 50 });
  const taken = Array.from({ length: 1001 }, () => mailer.send('ana', async () => MAIL));
  expect(taken.filter(Boolean)).toHaveLength(1000);
  await expect.poll(server.connections).toBe(4);
  await mailer[Symbol.asyncDispose]();
  expect(logged[0]).toEqual([{ mails: 1000 }, 'mails not sent at shutdown']);
  expect(await counts()).toEqual({ sent: 0, failed: 1000, dropped: 1 });
  expect(mailer.send('ana', async () => MAIL)).toBe(false);
});

test('a server that hangs is given up in time', async () => {
  using server = await startSilentServer();
  const { mailer, counts, logged } = open(server.url, { ...QUICK, answerMs: 20 });
  mailer.send('ana', async () => MAIL);
  await expect.poll(counts).toMatchObject({ failed: 1 });
  await expect.poll(server.connections).toBe(3);
  expect(logged).toEqual([[{ code: 'ETIMEDOUT' }, 'gave up sending mail']]);
});

test('at the end of the process, what waits for another attempt is tried once more', async () => {
  let attempts = 0;
  const { promise: first, resolve } = Promise.withResolvers<void>();
  await using server = await startMailServer({
    onConnect(_, callback) {
      attempts += 1;
      if (attempts > 1) {
        callback();
        return;
      }
      resolve();
      callback(Object.assign(new Error('later'), { responseCode: 421 }));
    },
  });
  const { mailer, counts } = open(server.url, { ...QUICK, retryMs: [3_600_000], drainMs: 10_000 });
  mailer.send('ana', async () => MAIL);
  await first;
  await mailer[Symbol.asyncDispose]();
  expect([server.mails.length, attempts]).toEqual([1, 2]);
  expect(await counts()).toMatchObject({ sent: 1 });
});

test('without a server no mail is taken', async () => {
  const { mailer, counts } = open(undefined);
  expect([mailer.isOn, mailer.send('ana', async () => MAIL)]).toEqual([false, false]);
  expect(await counts()).toEqual({ sent: 0, failed: 0, dropped: 0 });
});
