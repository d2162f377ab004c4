import { once } from 'node:events';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** As it came: headers, an empty line, and the text. */
  readonly source: string;
}

export interface TestMailServer extends AsyncDisposable {
  readonly url: string;
  readonly mails: ReceivedMail[];
  /** The variables with which an API sends its mails here. */
  readonly env: NodeJS.ProcessEnv;
}

const QUIET: SMTPServerOptions = {
  logger: false,
  authOptional: true,
  // Without a certificate of its own it has a well-known one, which no client accepts.
  disabledCommands: ['STARTTLS'],
};

/** Starts an SMTP server on loopback. It keeps what it takes. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<TestMailServer> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    ...QUIET,
    onData(stream, { envelope }, callback) {
      const { mailFrom, rcptTo } = envelope;
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const from = mailFrom ? mailFrom.address : '';
        const source = Buffer.concat(chunks).toString();
        mails.push({ from, to: rcptTo.map(({ address }) => address), source });
        callback();
      });
    },
    ...options,
  });
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const address = listening.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const url = `smtp://127.0.0.1:${port}`;
  return {
    url,
    mails,
    env: {
      SMTP_URL: url,
      MAIL_FROM: 'Sessions <sessions@example.org>',
      CONSOLE_URL: 'https://console.example.org/',
    },
    async [Symbol.asyncDispose]() {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(resolve);
      await promise;
    },
  };
}

/** Returns the subject and the text of a mail, decoded. */
export function contentOf({ source }: ReceivedMail): { subject: string; body: string } {
  const [head = '', ...rest] = source.split('\r\n\r\n');
  const subject = /^Subject: ((?:.|\r\n[ \t])*)/m.exec(head)?.[1] ?? '';
  const isQuoted = /^Content-Transfer-Encoding: quoted-printable/im.test(head);
  const isBase64 = /^Content-Transfer-Encoding: base64/im.test(head);
  const text = rest.join('\r\n\r\n');
  const body = isBase64
    ? Buffer.from(text, 'base64').toString()
    : isQuoted
      ? unquoted(text.replaceAll('=\r\n', ''))
      : text;
  return { subject: subjectOf(subject), body: body.replaceAll('\r\n', '\n') };
}

/** Follows RFC 2047, as far as a subject in UTF-8 needs it. */
function subjectOf(header: string): string {
  return header
    .replaceAll(/\?=\r\n[ \t]+=\?/g, '?==?')
    .replaceAll(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_, encoding: string, word: string) =>
      encoding.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString()
        : unquoted(word.replaceAll('_', ' ')),
    )
    .replaceAll(/\r\n[ \t]/g, ' ');
}

function unquoted(text: string): string {
  const bytes = text.replaceAll(/=([\dA-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString();
}
