import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CATALOGUE } from '@session/agents';
import { expect, onTestFinished, test } from 'vitest';
import { readRoles } from './config-roles.ts';

const BOOKING = {
  name: 'booking-agent',
  title: 'Booking',
  description: 'Takes bookings.',
  conversation: 'text',
  run: { image: 'registry.example/booking:1' },
};

async function store(content: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'roles-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = path.join(folder, 'roles.json');
  await writeFile(file, content);
  return file;
}

test('without a file there are the roles of the catalogue', () => {
  expect(readRoles(undefined, 'process')).toBe(CATALOGUE);
  expect(readRoles('', 'process')).toBe(CATALOGUE);
});

test('the roles of a file stand behind those of the catalogue, with their defaults', async () => {
  const variables = [{ name: 'BOOKING_KEY', required: true }];
  const file = await store(JSON.stringify({ roles: [{ ...BOOKING, variables }] }));
  expect(readRoles(file, 'kubernetes')).toEqual([
    ...CATALOGUE,
    {
      name: 'booking-agent',
      title: 'Booking',
      description: 'Takes bookings.',
      conversation: 'text',
      restart: 'on-failure',
      resources: { cpu: ['50m', '500m'], memory: ['128Mi', '512Mi'] },
      program: 'booking-agent',
      image: 'registry.example/booking:1',
      run: { node: undefined, reads: [] },
      variables: [
        { name: 'BOOKING_KEY', required: true, secret: true, description: '', default: null },
      ],
    },
  ]);
});

test.each<[object, string]>([
  [{ name: 'booking2' }, 'role booking2: name: up to 40 small letters'],
  [{ name: '-booking' }, 'role -booking: name: up to 40 small letters'],
  [{ name: 'a'.repeat(41) }, 'name: up to 40 small letters'],
  [
    { name: 'echo-agent' },
    'role echo-agent: name: choose another name, because another role has this one',
  ],
  [
    { name: 'external' },
    'role external: name: choose another name, because another role has this one',
  ],
  [{ name: undefined }, 'role 1: name: '],
  [{ title: '' }, 'role booking-agent: title: '],
  [{ conversation: 'song' }, 'role booking-agent: conversation: '],
  [{ colour: 'red' }, 'role booking-agent: '],
  [{ restart: 'always' }, 'restart: '],
  [{ resources: { cpu: ['1', '2 cores'], memory: ['1Gi', '1Gi'] } }, 'resources.cpu.1: an amount'],
  [{ resources: { cpu: ['1', '2'], memory: ['1GB', '1Gi'] } }, 'resources.memory.0: an amount'],
  [{ run: {} }, 'run: an image or a program for Node is needed'],
  [{ run: { command: ['python'] } }, 'run: '],
  [{ run: { node: 'main.js' } }, 'run.node: an absolute path is needed'],
  [{ run: { node: '/no/such/main.js' } }, 'run: /no/such/main.js does not exist'],
  [{ run: { image: 'a:1', reads: ['/tmp'] } }, 'run.reads: leave it out'],
  [{ variables: [{ name: 'MEDIA_URL' }] }, 'variables.0.name: choose another name'],
  [{ variables: [{ name: 'lower' }] }, 'variables.0.name: capital letters'],
  [{ variables: [{ name: 'A' }, { name: 'A' }] }, 'variables: each name may be used only once'],
])('%j ends the start, with the file, the role and the rule: %s', async (part, fault) => {
  const file = await store(JSON.stringify({ roles: [{ ...BOOKING, ...part }] }));
  expect(() => readRoles(file, 'process')).toThrow(`AGENT_ROLES: ${file}: role `);
  expect(() => readRoles(file, 'process')).toThrow(fault);
});

test('all faults are named at once, and a name that two roles have', async () => {
  const roles = [BOOKING, { ...BOOKING, title: '' }, BOOKING];
  const file = await store(JSON.stringify({ roles }));
  expect(() => readRoles(file, 'process')).toThrow(
    /title: .*\n.*role booking-agent: name: choose another name, because another role has this one$/,
  );
});

test.each(['', '{', '[]', '{"roles": {}}', '{"roles": [], "more": 1}'])(
  'a file with %j is refused',
  async (content) => {
    const file = await store(content);
    const fault = `AGENT_ROLES: ${file}: this file cannot be read as a list of at most 100 roles`;
    expect(() => readRoles(file, 'process')).toThrow(fault);
  },
);

test('a file that is not there is refused', () => {
  expect(() => readRoles('/no/such/roles.json', 'process')).toThrow(
    'AGENT_ROLES: /no/such/roles.json: there is no such file',
  );
});

test('the files of a program must exist where agents are processes, and nowhere else', async () => {
  const run = { node: '/no/such/main.js', reads: ['/no/such'] };
  const file = await store(JSON.stringify({ roles: [{ ...BOOKING, run }] }));
  expect(readRoles(file, 'kubernetes').at(-1)).toMatchObject({ image: '', run });
});
