import { BlockList, isIP } from 'node:net';
import { hostAddress } from './checked-lookup.ts';

const METADATA_SERVICES = metadataServices();

/** Returns whether an IP address may belong to a cloud's metadata service. No template may name such an address. */
export function isLinkLocal(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && METADATA_SERVICES.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Returns the same as `isLinkLocal`, for the host of a URL. */
export function isLinkLocalHost(hostname: string): boolean {
  return isLinkLocal(hostAddress(hostname));
}

/** Returns the addresses at which clouds offer a machine's credentials to every program on it. */
function metadataServices(): BlockList {
  const list = new BlockList();
  list.addSubnet('169.254.0.0', 16, 'ipv4');
  list.addSubnet('fe80::', 10, 'ipv6');
  // The services of Amazon, Google and Oracle over IPv6, and Alibaba's, are not link-local.
  list.addAddress('fd00:ec2::254', 'ipv6');
  list.addAddress('fd20:ce::254', 'ipv6');
  list.addAddress('fd00:c1::a9fe:a9fe', 'ipv6');
  list.addAddress('100.100.100.200', 'ipv4');
  // IPv4 addresses behind a translator (NAT64, RFC 6052).
  list.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6');
  return list;
}
