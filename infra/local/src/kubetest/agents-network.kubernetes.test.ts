import { BlockList, isIPv6 } from 'node:net';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { build, type ClusterObject } from '../../testing/manifests.ts';

const OVERLAYS = ['local', 'production'];
/** The ports of `components/local-models`, which `overlays/local` has. */
const MODELS = ['TCP 8000', 'TCP 8080', 'TCP 8880', 'TCP 11434'];
/** The address that an operator of `overlays/production` replaces. */
const LIVEKIT = '203.0.113.10';
/** Networks outside the internet: the first and the last address of each, and one that is known to serve something. */
const PRIVATE = [
  { what: 'this machine', addresses: ['0.0.0.0', '0.255.255.255', '127.0.0.1', '127.255.255.255'] },
  { what: 'private', models: true, addresses: ['10.0.0.0', '10.96.0.1', '10.255.255.255'] },
  { what: 'private', models: true, addresses: ['172.16.0.0', '172.31.255.255'] },
  { what: 'private', models: true, addresses: ['192.168.0.0', '192.168.255.255'] },
  { what: 'CGNAT', addresses: ['100.64.0.0', '100.100.100.200', '100.127.255.255'] },
  { what: 'link-local', addresses: ['169.254.0.0', '169.254.169.254', '169.254.255.255'] },
  { what: 'protocols and benchmarks', addresses: ['192.0.0.1', '192.0.0.255'] },
  { what: 'protocols and benchmarks', addresses: ['198.18.0.0', '198.19.255.255'] },
  { what: 'multicast and reserved', addresses: ['224.0.0.0', '240.0.0.0', '255.255.255.255'] },
  { what: 'loopback, unspecified', addresses: ['::1', '::'] },
  { what: 'mapped and translated', addresses: ['::ffff:10.0.0.9', '64:ff9b::a00:9'] },
  { what: 'tunnels', addresses: ['2002:a00:9::1', '2001::1'] },
  { what: 'unique local', addresses: ['fc00::', 'fcff:ffff::1'] },
  { what: 'unique local', models: true, addresses: ['fd00::', 'fd00:ec2::254', 'fdff:ffff::1'] },
  { what: 'link-local, site-local', addresses: ['fe80::1', 'febf::1', 'fec0::1'] },
  { what: 'multicast', addresses: ['ff00::', 'ff02::1', 'ffff::1'] },
].map((range) => ({ models: false, ...range }));

const EgressRule = z.object({
  to: z.array(
    z.looseObject({
      ipBlock: z.object({ cidr: z.string(), except: z.array(z.string()).default([]) }).optional(),
    }),
  ),
  ports: z.array(
    z.object({ protocol: z.string(), port: z.number(), endPort: z.number().optional() }),
  ),
});
const Policy = z.looseObject({ egress: z.array(EgressRule).default([]) });

test.each(PRIVATE)(
  'agents reach nothing at private addresses ($what: $addresses), but local models if: $models',
  async ({ addresses, models }) => {
    for (const overlay of OVERLAYS) {
      const manifests = await build(`overlays/${overlay}`);
      for (const address of addresses)
        expect
          .soft(openPorts(manifests, address), `${address} in ${overlay}`)
          .toEqual(overlay === 'local' && models ? MODELS : []);
    }
  },
);

test('no component but local-models opens a private address to agents', async () => {
  const components = ['autoscaling', 'livekit-cluster', 'monitoring', 'pgbouncer', 'postgres-ha'];
  const manifests = await build('overlays/production', components);
  const open = PRIVATE.flatMap(({ addresses }) => addresses).filter(
    (address) => openPorts(manifests, address).length > 0,
  );
  expect(open).toEqual([]);
});

test.each([
  '203.0.113.7',
  '9.255.255.255',
  '11.0.0.0',
  '100.128.0.0',
  '172.32.0.0',
  '2606:4700::1',
])('agents reach port 443 of the public address %s, and nothing else there', async (address) => {
  for (const overlay of OVERLAYS)
    expect(openPorts(await build(`overlays/${overlay}`), address)).toEqual(['TCP 443']);
});

test('agents reach LiveKit by a rule of its own: pods by their names, other machines where the overlay says', async () => {
  const [local, production] = await Promise.all(OVERLAYS.map((name) => build(`overlays/${name}`)));
  const pods = {
    namespaceSelector: {},
    podSelector: {
      matchExpressions: [
        { key: 'app.kubernetes.io/name', operator: 'In', values: ['livekit', 'livekit-server'] },
      ],
    },
  };
  expect(local?.flatMap(livekitOf)).toEqual([[pods]]);
  expect(production?.flatMap(livekitOf)).toMatchObject([
    [pods, { ipBlock: { cidr: `${LIVEKIT}/32` } }],
  ]);
  expect(openPorts(production ?? [], LIVEKIT)).toEqual(
    expect.arrayContaining(['TCP 443', 'TCP 7880-7881', 'UDP 7882', 'UDP 50000-60000']),
  );
});

/** Returns what a manifest allows agents to connect to. */
function egressOfAgents({ kind, metadata: { namespace }, spec }: ClusterObject) {
  return kind === 'NetworkPolicy' && namespace === 'agents' ? Policy.parse(spec).egress : [];
}

/** Returns whom each rule of the policy for LiveKit names. */
function livekitOf(manifest: ClusterObject) {
  return manifest.metadata.name === 'livekit' ? egressOfAgents(manifest).map(({ to }) => to) : [];
}

/** Returns the ports that agents may connect to at `address`. */
function openPorts(manifests: readonly ClusterObject[], address: string): string[] {
  const rules = manifests
    .flatMap(egressOfAgents)
    .filter(({ to }) => to.some(({ ipBlock }) => ipBlock && contains(ipBlock, address)));
  const ports = rules.flatMap((rule) => rule.ports).toSorted((a, b) => a.port - b.port);
  const names = ports.map(
    ({ protocol, port, endPort }) => `${protocol} ${port}${endPort ? `-${endPort}` : ''}`,
  );
  return [...new Set(names)];
}

function contains({ cidr, except }: { cidr: string; except: string[] }, address: string): boolean {
  const within = (network: string) => {
    const [start = '', bits] = network.split('/');
    // To a BlockList a mapped IPv6 address is the IPv4 address.
    if (isIPv6(start) !== isIPv6(address)) return false;
    const family = isIPv6(start) ? 'ipv6' : 'ipv4';
    const list = new BlockList();
    list.addSubnet(start, Number(bits), family);
    return list.check(address, family);
  };
  return within(cidr) && !except.some(within);
}
