import { expect, test } from 'vitest';
import { isLinkLocal, isLinkLocalHost } from './link-local.ts';

test.each([
  ['169.254.0.0', true],
  ['169.254.169.254', true],
  ['169.254.255.255', true],
  ['169.253.255.255', false],
  ['169.255.0.0', false],
  ['fe80::', true],
  ['fe80::1%eth0', true],
  ['febf:ffff::1', true],
  ['fec0::1', false],
  ['::ffff:169.254.1.1', true],
  ['::ffff:127.0.0.1', false],
  ['64:ff9b::169.254.169.254', true],
  ['64:ff9b::127.0.0.1', false],
  ['fd00:ec2::254', true],
  ['fd00:ec2::253', false],
  ['fd20:ce::254', true],
  ['fd20:ce::253', false],
  ['fd00:c1::a9fe:a9fe', true],
  ['fd00:c1::a9fe:a9fd', false],
  ['100.100.100.200', true],
  ['100.100.100.201', false],
  ['127.0.0.1', false],
  ['10.0.0.1', false],
  ['::1', false],
  ['example.org', false],
  ['', false],
])('%s: %j', (address, expected) => {
  expect(isLinkLocal(address)).toBe(expected);
  expect(isLinkLocalHost(address.includes(':') ? `[${address}]` : address)).toBe(expected);
});
