import ipaddr from 'ipaddr.js';
import { isLinkLocal } from './link-local.ts';

type Address = ReturnType<typeof ipaddr.process>;

const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');
/** A translator behind these addresses (NAT64, RFC 6052) reaches the IPv4 address in their last four bytes. */
const TRANSLATED = ipaddr.parseCIDR('64:ff9b::/96');

/**
 * Returns whether a connection to `host`, which a customer chose, is allowed: to an IP address of the Internet or of
 * `networks`, which the operator opens. A name is accepted, and its addresses must be checked later.
 */
export function isOpen(host: string, networks: readonly string[]): boolean {
  if (!ipaddr.isValid(host)) return true;
  const reached = reachedBy(host);
  const isPublic = reached.range() === 'unicast';
  const isRouted = reached.kind() === 'ipv4' || reached.match(GLOBAL_IPV6);
  return (isPublic && isRouted) || isIn(host, networks);
}

/**
 * Returns whether a tool or a webhook may connect to `host`: by https to the Internet and `networks`, by http only to
 * `networks`, and never to a link-local address. A name is accepted: check its addresses.
 */
export function mayConnect(
  host: string,
  networks: readonly string[],
  protocol: 'http:' | 'https:',
): boolean {
  const isHttp = protocol === 'http:';
  if (isHttp && networks.length === 0) return false;
  if (!ipaddr.isValid(host)) return true;
  if (isLinkLocal(host) || isLinkLocal(reachedBy(host).toString())) return false;
  return isHttp ? isIn(host, networks) : isOpen(host, networks);
}

function isIn(host: string, networks: readonly string[]): boolean {
  const addresses = [ipaddr.process(host), reachedBy(host)];
  return networks.some((network) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    return addresses.some((one) => base.kind() === one.kind() && one.match(base, bits));
  });
}

function reachedBy(host: string): Address {
  const address = ipaddr.process(host);
  if (address.kind() !== 'ipv6' || !address.match(TRANSLATED)) return address;
  return ipaddr.fromByteArray(address.toByteArray().slice(-4));
}
