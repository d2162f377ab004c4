import { hasCode, StartError } from './errors.ts';

const REASONS = {
  EADDRINUSE: 'is taken by another program: set PORT',
  EADDRNOTAVAIL: 'is not an address of this machine: set HOST',
  ENOTFOUND: 'is not an address: set HOST',
  EACCES: 'may not be used by this user: set PORT',
} as const;

/** Awaits `start`, which makes a server listen at an address. Throws a StartError if the address cannot be used. */
export async function listenAt(
  { host, port }: { readonly host: string; readonly port: number },
  start: () => Promise<unknown>,
): Promise<void> {
  try {
    await start();
  } catch (cause) {
    const reason = Object.entries(REASONS).find(([code]) => hasCode(cause, code));
    if (!reason) throw cause;
    throw new StartError(`${host}:${port} ${reason[1]}.`, { cause });
  }
}
