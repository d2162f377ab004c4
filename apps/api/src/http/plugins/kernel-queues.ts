import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Tables of all TCP connections of this process's network, by proc(5). */
const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];

/** The columns of such a table that are of use: the two ends as `address:port`, and the queues as `sent:received`; all in hex. */
const ROW = /^ *\d+: ([0-9A-F]+:[0-9A-F]{4}) ([0-9A-F]+:[0-9A-F]{4}) [0-9A-F]{2} ([0-9A-F]{8}):/gm;

/**
 * Returns a function that says how many bytes the kernel keeps for a connection because its other end has not taken them. On
 * this machine's own network these are megabytes, and the kernel asks for more only when a third of them has left. Where
 * the system has no such table, the function returns 0.
 */
export async function readKernelQueues(): Promise<(socket: Socket) => number> {
  const texts = await Promise.all(TABLES.map((file) => readFile(file, 'latin1').catch(() => '')));
  const queues = new Map<string, number>();
  for (const [, local, remote, sent = ''] of texts.join('\n').matchAll(ROW)) {
    queues.set(`${local} ${remote}`, Number.parseInt(sent, 16));
  }
  return ({ localAddress, localPort, remoteAddress, remotePort }) =>
    queues.get(`${endOf(localAddress, localPort)} ${endOf(remoteAddress, remotePort)}`) ?? 0;
}

/** Returns an end of a connection as the tables write it: the address in words of four bytes, the last byte first. */
function endOf(address: string | undefined, port: number | undefined): string {
  if (address === undefined || port === undefined) return '';
  const bytes = Buffer.from(ipaddr.parse(address).toByteArray());
  // The tables' words are in the byte order of the machine, which is little-endian wherever Node runs.
  const words = bytes.swap32().toString('hex');
  return `${words}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}
