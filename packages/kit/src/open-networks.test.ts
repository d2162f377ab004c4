import { expect, test } from 'vitest';
import { isOpen, mayConnect } from './open-networks.ts';

const CLOSED = [
  '127.0.0.1 10.0.0.1 172.16.0.1 192.168.1.1 100.64.0.1 100.100.100.200 0.0.0.0 169.254.169.254 192.0.2.1 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255',
  ':: ::1 ::2 ::7f00:1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 64:ff9b::7f00:1',
  'fe80::1 fec0::1 fc00::1 fd00:ec2::254 ff02::1 2001:db8::1 2002:7f00:1:: 2001::1',
].flatMap((line) => line.split(' '));

test.for(CLOSED)('%s is asked only in an opened network', (address) => {
  expect(isOpen(address, [])).toBe(false);
  expect(isOpen(address, ['0.0.0.0/0', '::/0'])).toBe(true);
});

test.for([
  '8.8.8.8',
  '::ffff:8.8.8.8',
  '2001:4860:4860::8888',
  '64:ff9b::808:808',
  'api.example.org',
])('%s is asked', (host) => {
  expect(isOpen(host, [])).toBe(true);
});

test('a translated address belongs to the networks of the address behind it', () => {
  const translated = '64:ff9b::a14:1';
  expect([isOpen(translated, []), isOpen(translated, ['10.20.0.0/16'])]).toEqual([false, true]);
  expect(mayConnect(translated, ['10.20.0.0/16'], 'http:')).toBe(true);
  expect(mayConnect(translated, ['10.21.0.0/16'], 'http:')).toBe(false);
});

test('http leads to opened networks alone', () => {
  const networks = ['10.20.0.0/16'];
  for (const host of ['10.20.0.1', '::ffff:10.20.0.1', 'api.example.org']) {
    expect([host, mayConnect(host, networks, 'http:')]).toEqual([host, true]);
    expect([host, mayConnect(host, [], 'http:')]).toEqual([host, false]);
  }
  expect(mayConnect('8.8.8.8', networks, 'http:')).toBe(false);
  expect(mayConnect('8.8.8.8', networks, 'https:')).toBe(true);
});

test.for([
  '169.254.169.254',
  'fe80::1',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  '100.100.100.200',
  '64:ff9b::a9fe:a9fe',
])('%s stays closed, whatever is opened', (address) => {
  const all = ['0.0.0.0/0', '::/0'];
  expect(mayConnect(address, all, 'http:')).toBe(false);
  expect(mayConnect(address, all, 'https:')).toBe(false);
});
