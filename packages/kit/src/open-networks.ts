import ipaddr from 'ipaddr.js';

/** All that is routed on the Internet with IPv6. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/**
 * Returns whether `host` may be connected to for a customer, who chose it: an IP address of the Internet or of `networks`, which the
 * operator opens. A name passes, and its addresses are judged again.
 */
export function isOpen(host: string, networks: readonly string[]): boolean {
  if (!ipaddr.isValid(host)) return true;
  const address = ipaddr.process(host);
  const isOpened = networks.some((network) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    return base.kind() === address.kind() && address.match(base, bits);
  });
  const isPublic = address.range() === 'unicast';
  return isOpened || (isPublic && (address.kind() === 'ipv4' || address.match(GLOBAL_IPV6)));
}
