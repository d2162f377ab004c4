import type { LookupFunction } from 'node:net';
import { expect, test } from 'vitest';
import { fails, startScriptedModel } from '../../../testing/scripted-model.ts';
import { findRooms, openToolBox, toolVariables } from '../../../testing/tools.ts';

const REFUSED = 'Not called: its address is not open to tools.';
const args = { day: 'x' };

/** The networks that an operator may have opened by mistake. */
const EVERYTHING = '0.0.0.0/0,::/0';

function resolvesTo(...answers: readonly string[]): LookupFunction {
  let asked = 0;
  return (_, { all }, callback) => {
    const address = answers[Math.min(asked, answers.length - 1)] ?? '';
    asked += 1;
    const family = address.includes(':') ? 6 : 4;
    if (all) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
}

const hotelLookup: LookupFunction = (host, options, callback) => {
  if (host === 'unknown.example') return callback(new Error('ENOTFOUND'), '');
  resolvesTo(host === 'rooms.example' ? '10.20.0.1' : '127.0.0.1')(host, options, callback);
};

async function textOf(url: string, networks: string, lookup?: LookupFunction): Promise<string> {
  const tool = findRooms(1, { request: { url }, timeoutMs: 1000 });
  const variables = { ...toolVariables(tool), AGENT_TOOL_NETWORKS: networks };
  await using box = await openToolBox(variables, lookup ? { lookup } : {});
  const known = box.toolOf('find_rooms');
  return known ? (await known.send(args)).text : '';
}

test.for(
  [
    '127.0.0.1 127.1 2130706433 0x7f000001 0x7f.1 017700000001 0177.0.0.1 127.0.0.1.',
    '0.0.0.0 0 10.0.0.1 172.16.0.1 192.168.1.1 100.64.0.1 198.18.0.1 192.0.2.1 224.0.0.1 255.255.255.255',
    '[::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::7f00:1]',
    '[fc00::1] [fec0::1] [2002:7f00:1::] [ff02::1] localhost',
  ].flatMap((line) => line.split(' ')),
)('%s is called only where it is opened', async (host) => {
  expect(await textOf(`https://${host}:1/`, '203.0.113.0/24')).toBe(REFUSED);
  expect(await textOf(`http://${host}:1/`, '203.0.113.0/24')).toBe(REFUSED);
});

test.for(
  [
    '169.254.169.254 2852039166 0xa9fea9fe 100.100.100.200 [fe80::1] [fd00:ec2::254]',
    '[::ffff:169.254.169.254] [64:ff9b::a9fe:a9fe] [64:ff9b::6464:64c8]',
  ].flatMap((line) => line.split(' ')),
)('%s is never called', async (host) => {
  expect(await textOf(`https://${host}/`, EVERYTHING)).toBe(REFUSED);
  expect(await textOf(`http://${host}/`, EVERYTHING)).toBe(REFUSED);
});

test.for(['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '64:ff9b::a00:1'])(
  'a name is refused that resolves to %s',
  async (address) => {
    expect(await textOf('https://rooms.example/', '203.0.113.0/24', resolvesTo(address))).toBe(
      REFUSED,
    );
  },
);

test('a name is judged anew with each connection', async () => {
  await using server = await startScriptedModel(fails(200, 'here', { connection: 'close' }));
  const tool = findRooms(1, { request: { url: `http://rooms.example:${server.port}/` } });
  const lookup = resolvesTo('127.0.0.1', '10.0.0.1');
  await using box = await openToolBox(toolVariables(tool), { lookup });
  const known = box.toolOf('find_rooms');
  if (!known) throw new Error('no such tool');
  expect((await known.send(args)).text).toBe('here');
  expect((await known.send(args)).text).toBe(REFUSED);
  expect(server.requests).toHaveLength(1);
});

test('http is refused on the Internet: a key would cross it in the clear', async () => {
  expect(await textOf('http://8.8.8.8:1/', '127.0.0.0/8')).toBe(REFUSED);
  expect(await textOf('http://rooms.example/', '127.0.0.0/8', resolvesTo('8.8.8.8'))).toBe(REFUSED);
});

test('the operator’s proxy may stand in a closed network, and closed names stay closed behind it', async () => {
  await using proxy = await startScriptedModel(fails(200, 'through the proxy'));
  const variables = {
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: `http://127.0.0.1:${proxy.port}`,
    AGENT_TOOL_NETWORKS: '10.20.0.0/16',
  };
  const text = async (url: string) => {
    const tool = findRooms(1, { request: { url } });
    await using box = await openToolBox(
      { ...toolVariables(tool), ...variables },
      { lookup: hotelLookup },
    );
    const known = box.toolOf('find_rooms');
    return known ? (await known.send(args)).text : '';
  };
  expect(await text('http://rooms.example/')).toBe('through the proxy');
  expect(await text('http://inner.example/')).toBe(REFUSED);
  expect(await text('http://unknown.example/')).toBe(REFUSED);
  expect(proxy.requests).toHaveLength(1);
});
