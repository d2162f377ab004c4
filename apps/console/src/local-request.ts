import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const FORWARDED_PREFIX = 'x-forwarded-';
const FORWARDED = new Set([
  'cf-connecting-ip',
  'forwarded',
  'true-client-ip',
  'via',
  'x-client-ip',
  'x-real-ip',
]);

export function isLoopback(address: string | undefined): boolean {
  return address !== undefined && loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/**
 * Returns whether a program on this machine sent `request` directly, to a host name of this machine. A foreign page whose
 * host name resolves to this machine still sends that host name. A proxy adds headers, or sends the host name under which
 * clients reach it.
 */
export function isLocalRequest({ headersDistinct, socket }: IncomingMessage): boolean {
  const { host = [] } = headersDistinct;
  const isForwarded = Object.keys(headersDistinct).some(
    (name) => name.startsWith(FORWARDED_PREFIX) || FORWARDED.has(name),
  );
  return (
    isLoopback(socket.localAddress) &&
    isLoopback(socket.remoteAddress) &&
    !isForwarded &&
    host.length === 1 &&
    isLoopbackHost(host[0])
  );
}

/** Returns whether one of our own pages sent `request`. Other pages have another origin, which they cannot hide. */
export function isOwnPage({ headersDistinct }: IncomingMessage): boolean {
  const { host = [], origin = [], 'sec-fetch-site': sites = ['same-origin'] } = headersDistinct;
  return (
    origin.length === 1 &&
    origin[0] === `http://${host[0]}` &&
    sites.every((site) => site === 'same-origin')
  );
}

function isLoopbackHost(host: string | undefined): boolean {
  return /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/.test(host ?? '');
}
