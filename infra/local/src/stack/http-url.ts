import { isIPv4, isIPv6 } from 'node:net';

/** The addresses of a server that listens at all addresses of its machine, and what a browser of this machine uses instead. */
const ALL: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Whether a server that listens at `host` takes requests of other machines, at every interface of this one. */
export function isEverywhere(host: string): boolean {
  return Object.hasOwn(ALL, host);
}

/** Returns the URL of a server that listens at `host`. */
export function httpUrl(host: string, port: number): string {
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Returns the URL at which a browser of this machine reaches a server that listens at `host`. */
export function browserUrl(host: string, port: number): string {
  return httpUrl(ALL[host] ?? host, port);
}

/** Whether only this machine reaches a server that listens at `host`. */
export function isOwnHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
