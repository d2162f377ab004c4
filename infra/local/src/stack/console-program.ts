import type { ChildProcess } from 'node:child_process';
import * as z from 'zod';
import type { ServiceSpec } from '../supervision/service.ts';
import { appProgram } from './app-program.ts';
import type { StackContext } from './stack-context.ts';

type ConsoleContext = Pick<StackContext, 'demoAccount' | 'progress'> & {
  readonly config: Pick<StackContext['config'], 'host' | 'logLevel'>;
};

export interface ConsoleProgramOptions {
  readonly port: number;
  readonly apiUrl: string;
  readonly mediaUrl: string;
  readonly pagesFolder: string;
  readonly apiReady: Promise<void>;
}

const SECRETS =
  /^(?:(?:JWT_SECRET|ENCRYPTION_KEY)(?:_PREVIOUS)?|DATABASE_URL|OIDC_CLIENT_SECRET|MEDIA_API_KEY|MEDIA_API_SECRET)$/;

const DemoMade = z.object({ demoEmail: z.string() });

export function consoleProgram(
  context: ConsoleContext,
  { port, apiUrl, mediaUrl, pagesFolder, apiReady }: ConsoleProgramOptions,
): ServiceSpec {
  const { config } = context;
  const inherited = Object.entries(process.env).filter(([name]) => !SECRETS.test(name));
  const program = appProgram('console', 'console', {
    ...Object.fromEntries(inherited),
    HOST: config.host,
    PORT: String(port),
    LOG_LEVEL: config.logLevel,
    CONSOLE_API_URL: process.env['CONSOLE_API_URL'] || apiUrl,
    CONSOLE_MEDIA_URLS: process.env['CONSOLE_MEDIA_URLS'] || mediaUrl,
    CONSOLE_PAGES_DIR: pagesFolder,
  });
  return {
    ...program,
    async ready(child, signal) {
      await program.ready(child, signal);
      shareDemoAccount(child, context, { apiUrl, apiReady });
    },
  };
}

/** Sends password and key only over the IPC channel, because every user of this machine can read a command line. */
function shareDemoAccount(
  child: ChildProcess,
  { demoAccount, progress }: ConsoleContext,
  { apiUrl, apiReady }: { readonly apiUrl: string; readonly apiReady: Promise<void> },
): void {
  child.on('message', (message) => {
    const { data } = DemoMade.safeParse(message);
    if (!data) return;
    demoAccount.keepEmail(data.demoEmail).catch(() => {
      progress.say('The demo account’s address could not be kept.');
    });
  });
  const send = async () => {
    await apiReady;
    const { password, key, email } = demoAccount;
    // A console that has ended meanwhile is restarted, and gets the account then.
    if (child.connected) child.send({ apiUrl, password, key, email }, () => {});
  };
  void send();
}
