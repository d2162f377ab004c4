import type { FastifyBaseLogger } from 'fastify';
import { DemoAccount, DemoSettings } from './demo-account.ts';

export interface DemoChannel extends Disposable {
  readonly account: () => DemoAccount | undefined;
}

/**
 * Takes the settings of a demo account from the process that started this one, and tells it the address of the account. The
 * settings stand in no variable, so there is no demo account where no local stack has started the console.
 */
export function receiveDemoAccount(log: FastifyBaseLogger): DemoChannel {
  let account: DemoAccount | undefined;
  const receive = (message: unknown) => {
    const { data: settings } = DemoSettings.safeParse(message);
    if (!settings) return;
    account = new DemoAccount(settings, { log, onEmail: tellEmail });
    // Made before the first visitor asks for it. A failure is in the log, and the visitor's request tries again.
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
