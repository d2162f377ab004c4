import type { FastifyBaseLogger } from 'fastify';
import { DemoAccount, DemoSettings } from './demo-account.ts';

export interface DemoChannel extends Disposable {
  readonly account: () => DemoAccount | undefined;
}

/**
 * Receives the settings of a demo account from the process that started this one, and reports the account's address to that
 * process. No environment variable contains the settings, so only a console that a local stack started has a demo account.
 */
export function receiveDemoAccount(log: FastifyBaseLogger): DemoChannel {
  let account: DemoAccount | undefined;
  const receive = (message: unknown) => {
    const { data: settings } = DemoSettings.safeParse(message);
    if (!settings) return;
    account = new DemoAccount(settings, { log, onEmail: tellEmail });
    // The account is created before the first visitor asks for it. A failure is logged, and the visitor's request tries again.
    account.token().catch(() => {});
  };
  process.on('message', receive);
  // The channel alone must not keep the process alive.
  process.channel?.unref();
  return {
    account: () => account,
    [Symbol.dispose]: () => void process.off('message', receive),
  };
}

function tellEmail(demoEmail: string): void {
  process.send?.({ demoEmail });
}
