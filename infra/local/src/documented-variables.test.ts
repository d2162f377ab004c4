import { loadConfig } from '@session/api/config';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readRepositoryFile, readVariables } from '../testing/variables.ts';

/** The configurations of the apps, of the launchers and of the local stack. */
const ALL = '{apps,packages,infra}/*/src/config.ts';

/** What an agent reads: a launcher sets it, or the person who starts an agent by hand. */
const OF_AGENTS = new Set([
  'MEDIA_TOKEN',
  'MEDIA_ROOM',
  'MEDIA_PACKET_KEY',
  'ECHO_MODE',
  'STT_PROVIDER',
]);

test('.env.example names every variable that a configuration reads, in one line each', async () => {
  const example = await readRepositoryFile('.env.example');
  const named = Array.from(example.matchAll(/^#([A-Z_]+)=.* # \S/gm), ([, name]) => name);
  expect(named).toEqual([...new Set(named)]);
  const read = (await readVariables(ALL)).map(({ name }) => name);
  expect(read.length).toBeGreaterThan(10);
  // What only the launcher gives to an agent.
  const given = new Set(['MEDIA_TOKEN', 'MEDIA_PACKET_KEY']);
  const documented = read.filter((name) => !given.has(name));
  expect(documented.filter((name) => !named.includes(name))).toEqual([]);
});

test('docs/configuration.md has a row for every variable of API, recorder and stack, and for no other', async () => {
  const named = (await documentedTable()).map(({ name }) => name);
  expect(named).toEqual([...new Set(named)]);
  const read = (await readVariables(ALL))
    .map(({ name }) => name)
    .filter((name) => !OF_AGENTS.has(name));
  expect(named.toSorted()).toEqual(read.toSorted());
});

test('docs/configuration.md begins with the variables without which no API starts', async () => {
  const page = await readRepositoryFile('docs/configuration.md');
  const [, list = ''] = /A deployment sets ([^.]*)\./.exec(page) ?? [];
  const fault: unknown = await Promise.try(() => loadConfig({})).catch((error: unknown) => error);
  const needed = Array.from(String(fault).matchAll(/[A-Z_]+(?= is not set)/g), ([name]) => name);
  expect(codesOf(list).toSorted()).toEqual(needed.toSorted());
});

test('docs/configuration.md shows the defaults of the configurations', async () => {
  const shown = new Map((await documentedTable()).map(({ name, value }) => [name, value]));
  const expected = (await readVariables(ALL)).filter(
    ({ name, defaultValue }) => defaultValue !== undefined && shown.has(name),
  );
  expect(expected.length).toBeGreaterThan(10);
  for (const { name, defaultValue } of expected) {
    expect(`${name}: ${shown.get(name)}`).toBe(`${name}: ${defaultValue}`);
  }
});

test('the guide says how to change every secret of .env.example', async () => {
  const example = await readRepositoryFile('.env.example');
  const secrets = Array.from(
    example.matchAll(/^#([A-Z_]*(?:SECRET|KEY|PASSWORD|HEADERS))=/gm),
    ([, name = '']) => name,
  );
  expect(secrets).toContain('JWT_SECRET');
  const [, section = ''] = (await readRepositoryFile('docs/operations.md')).split('\n## Keys\n');
  const [keys = ''] = section.split('\n## ');
  expect(secrets.filter((name) => !keys.includes(`\`${name}\``))).toEqual([]);
});

/** Returns the rows of the table of variables: each name with its default in backticks. */
async function documentedTable(): Promise<{ name: string; value: string | undefined }[]> {
  const text = await readRepositoryFile('docs/configuration.md');
  const [, table = ''] =
    /^\| variable \| default \| meaning \|\n\|.*\n((?:\|.*\n)+)/m.exec(text) ?? [];
  return table
    .trimEnd()
    .split('\n')
    .flatMap((row) => {
      const [, names = '', defaults = ''] = row.split('|');
      const values = codesOf(defaults);
      return codesOf(names).map((name, index) => ({ name, value: values[index] }));
    });
}

function codesOf(cell: string): string[] {
  return Array.from(cell.matchAll(/`([^`]*)`/g), ([, code = '']) => code);
}

test('the production overlay names proxies, and the limits of logins and sign-ups with their defaults', async () => {
  const file = 'infra/kubernetes/overlays/production/kustomization.yaml';
  const overlay = await readRepositoryFile(file);
  const set = Array.from(overlay.matchAll(/^ {6}- ([A-Z_]+=.*)$/gm), ([, literal]) => literal);
  expect(set).toContainEqual(expect.stringMatching(/^TRUSTED_PROXIES=\S/));
  const limits = (await readVariables('apps/api/src/config.ts')).flatMap(
    ({ name, defaultValue }) =>
      /^RATE_LIMIT_(?:LOGIN|SIGNUP)_/.test(name) ? `${name}=${defaultValue}` : [],
  );
  expect(limits).toHaveLength(2);
  expect(set).toEqual(expect.arrayContaining(limits));
});

/** What the images set, what only pods of agents need, and what needs a balancer. */
const NOT_IN_COMPOSE = new Set([
  'AGENT_IMAGES',
  'AGENT_INSTANCE',
  'AGENT_LAUNCHER',
  'AGENT_MEDIA_CREDENTIALS',
  'AGENT_NAMESPACE',
  'AGENT_PROCESS_DIR',
  'AGENT_PROCESS_GID',
  'AGENT_PROCESS_UID',
  'AGENT_PROGRAMS_DIR',
  'CONSOLE_PAGES_DIR',
  'DRAIN_DELAY_SECONDS',
  'KUBECONFIG',
  'RECORDER_SPOOL_DIR',
]);

test.each([
  ['api', '{apps/api,packages/traces}'],
  ['console', 'apps/console'],
  ['recorder', '{apps/recorder,packages/traces}'],
])('docker-compose.yml hands on what the %s reads', async (service, folders) => {
  const compose = await readRepositoryFile('docker-compose.yml');
  const block = new RegExp(String.raw`^ {2}${service}:\n(?: {4}.*\n| *\n)+`, 'm').exec(
    compose,
  )?.[0];
  const settings = block?.matchAll(/^ {6}([A-Z_]+):/gm) ?? [];
  const set = Array.from(settings, ([, name = '']) => name);
  // Compose refuses a file that sets one twice.
  expect(set).toEqual([...new Set(set)]);
  const read = (await readVariables(`${folders}/src/config.ts`)).map(({ name }) => name);
  expect(read.length).toBeGreaterThan(5);
  expect(read.filter((name) => !set.includes(name) && !NOT_IN_COMPOSE.has(name))).toEqual([]);
});

test('docker-compose.yml hands on the authorities for connections to PostgreSQL', async () => {
  const { services } = parse(await readRepositoryFile('docker-compose.yml'));
  for (const { environment } of [services.api, services.recorder])
    expect(environment.NODE_EXTRA_CA_CERTS).toMatch(/^\$.NODE_EXTRA_CA_CERTS:-/);
});

/** What the parts of docker-compose.yml count on among themselves, or read from `.env` under another name. */
const FIXED_IN_COMPOSE = [
  'api HOST',
  'api MEDIA_URL',
  'api METRICS_PORT',
  'console HOST',
  'console PORT',
  'recorder HOST',
  'recorder MEDIA_URL',
];

test('docker-compose.yml uses the value of `.env` for each variable that it hands on', async () => {
  const { services } = parse(await readRepositoryFile('docker-compose.yml'));
  const ignored = ['api', 'console', 'recorder'].flatMap((service) =>
    Object.entries<string>(services[service].environment)
      .filter(([name, value]) => !new RegExp(String.raw`^\$\{${name}[:}]`).test(value))
      .map(([name]) => `${service} ${name}`),
  );
  expect(ignored.toSorted()).toEqual(FIXED_IN_COMPOSE);
});
