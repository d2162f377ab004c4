import { BlockList, isIP } from 'node:net';

const LOOPBACK = ['localhost', '127.0.0.0/8', '::1'];

/**
 * Deletes the proxy variables that LiveKit's native client would use for `url`, if its host is loopback or named in
 * `NO_PROXY`. The client reads them at each connect and ignores `NO_PROXY` (rtc-node 1.1.0). They stay deleted because the client
 * reconnects by itself, so the rest of the process must read them earlier. Throws if `url` is not a URL.
 */
export function hideProxy(url: string, env: NodeJS.ProcessEnv = process.env): void {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replaceAll(/[[\]]/g, '');
  const named = `${env['no_proxy'] ?? ''},${env['NO_PROXY'] ?? ''}`.toLowerCase().split(/[\s,]+/);
  if (![...LOOPBACK, ...named].some((entry) => matches(entry, host, port))) return;
  const isSecure = protocol === 'wss:' || protocol === 'https:';
  const names = isSecure ? ['HTTPS_PROXY', 'https_proxy'] : ['HTTP_PROXY', 'http_proxy'];
  for (const name of names) delete env[name];
}

/**
 * Returns whether an entry of `NO_PROXY` matches, as in Go and curl: a domain also stands for its subdomains, and a
 * network for its addresses.
 */
function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const isOfPort = port !== '' && !isIP(entry) && entry.endsWith(`:${port}`);
  const withoutPort = isOfPort ? entry.slice(0, -port.length - 1) : entry;
  const name = withoutPort.replaceAll(/^\*?\.|[[\]]/g, '');
  if (isIP(host)) return host === name || isIn(host, name);
  return name !== '' && (host === name || host.endsWith(`.${name}`));
}

function isIn(address: string, network: string): boolean {
  const [base = '', bits = ''] = network.split('/');
  const isIPv6 = isIP(base) === 6;
  const mayBeNetwork = isIP(base) === isIP(address) && /^\d{1,3}$/.test(bits);
  if (!mayBeNetwork || Number(bits) > (isIPv6 ? 128 : 32)) return false;
  const family = isIPv6 ? 'ipv6' : 'ipv4';
  const addresses = new BlockList();
  addresses.addSubnet(base, Number(bits), family);
  return addresses.check(address, family);
}
