import { isIPv4, isIPv6 } from 'node:net';

/** Hosts that stand for all addresses of the machine, each with the host that a browser on it uses. */
const ALL: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

export function isEverywhere(host: string): boolean {
  return Object.hasOwn(ALL, host);
}

export function httpUrl(host: string, port: number): string {
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

export function browserUrl(host: string, port: number): string {
  return httpUrl(ALL[host] ?? host, port);
}

export function isOwnHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
