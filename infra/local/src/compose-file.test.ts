import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Ajv } from 'ajv';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';

const root = path.resolve(import.meta.dirname, '../../..');
let faultsOf: (compose: string) => string[];

beforeAll(async () => {
  const schema = await readFile(path.join(root, 'infra/docker/compose-spec.json'), 'utf8');
  // The published schema is laxer than the strict mode allows, and has formats of its own.
  const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false });
  // The schema names its draft by an address that is unknown to Ajv: draft 7, which Ajv assumes.
  const validate = ajv.compile({ ...JSON.parse(schema), $schema: undefined });
  faultsOf = (compose) => {
    validate(parse(compose));
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
});

test('docker-compose.yml is what the Compose specification allows', async () => {
  expect(faultsOf(await readFile(path.join(root, 'docker-compose.yml'), 'utf8'))).toEqual([]);
});

test.each([
  ['stop_grace_period', 'stop_grace_perod'],
  ['read_only: true', 'read_only: [1]'],
  ['condition: service_healthy', 'condition: service_helthy'],
])('docker-compose.yml with another word than %s is refused', async (word, other) => {
  const compose = await readFile(path.join(root, 'docker-compose.yml'), 'utf8');
  expect(compose).toContain(word);
  expect(faultsOf(compose.replace(word, other))).not.toEqual([]);
});

test('the guide builds the images again at an upgrade: compose builds only those that are missing', async () => {
  const { services } = parse(await readFile(path.join(root, 'docker-compose.yml'), 'utf8'));
  expect(services.api).toMatchObject({ build: { target: 'api-voice' } });
  const guide = await readFile(path.join(root, 'docs/operations.md'), 'utf8');
  const [, section = ''] = guide.split('\n## Upgrading\n');
  expect(section.split('\n## ', 1)[0]).toContain('`docker compose up -d --build`');
});

test('no container can write into its image, has a right of the kernel’s that it does not need, or gains any', async () => {
  const { services } = parse(await readFile(path.join(root, 'docker-compose.yml'), 'utf8'));
  expect(Object.keys(services)).toHaveLength(5);
  for (const [name, service] of Object.entries(services)) {
    expect([name, service]).toMatchObject([
      name,
      { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
    ]);
  }
});

/** Returns the override, the sites for Caddy and the lines for `.env` of the guide. */
async function documentedProxy() {
  const guide = await readFile(path.join(root, 'docs/operations.md'), 'utf8');
  const [, section = ''] = guide.split('\n## Compose for browsers on other machines\n');
  const blocks = section.split('\n## ', 1)[0]?.matchAll(/^```(\w*)\n(.*?)\n```$/gms) ?? [];
  const { yaml = [], '': plain = [] } = Object.groupBy(blocks, ([, language = '']) => language);
  const [caddy = [], env = []] = plain.map(([, , block = '']) => block.split('\n'));
  return {
    override: yaml[0]?.[2] ?? '',
    caddy,
    env: Object.fromEntries(env.map((line) => line.split('=', 2))),
  };
}

test('the override of the guide lets LiveKit take UDP at the address for browsers alone', async () => {
  const { override } = await documentedProxy();
  expect(faultsOf(override)).toEqual([]);
  const { rtc } = parse(parse(override).services.livekit.environment.LIVEKIT_CONFIG);
  expect(rtc.ips.includes).toEqual([`${rtc.node_ip}/32`]);
});

test('the sites of the guide are in the form that Caddy reads: after a brace the line ends, and a closing one is alone', async () => {
  const braces = (await documentedProxy()).caddy.filter((line) => /[{}]/.test(line));
  expect(braces.length).toBeGreaterThan(2);
  expect(braces.filter((line) => !/^(?:[^{}]+ \{|\})$/.test(line))).toEqual([]);
});

test('the balancer of the guide sends the address of each client itself, and drops what the client claims', async () => {
  const guide = await readFile(path.join(root, 'docs/operations.md'), 'utf8');
  const [, section = ''] = guide.split('\n## Several APIs behind a balancer\n');
  const [, block = ''] = /^```\n(.*?)^```$/ms.exec(section) ?? [];
  expect(block).toMatch(/^ {2}option forwardfor(?: |$)/m);
  expect(block).toContain('\n  http-request del-header X-Forwarded-For');
});

test('with the `.env` of the guide, no address for browsers leads to their own machine', async () => {
  const { services } = parse(await readFile(path.join(root, 'docker-compose.yml'), 'utf8'));
  const { env } = await documentedProxy();
  const { CONSOLE_URL, CORS_ORIGINS, MEDIA_PUBLIC_URL } = services.api.environment;
  const { CONSOLE_API_URL, CONSOLE_MEDIA_URLS } = services.console.environment;
  const all = { CONSOLE_URL, CORS_ORIGINS, MEDIA_PUBLIC_URL, CONSOLE_API_URL, CONSOLE_MEDIA_URLS };
  for (const [name, value] of Object.entries(all))
    expect(`${name}=${interpolated(value, env)}`).toMatch(/^\w+=(?:https|wss):\/\/\w+\.example$/);
  // Without one, the API refuses to send mails, and to send browsers to an identity provider.
  expect(interpolated(CONSOLE_URL, {})).toBe('');
});

test('the override for roles of one’s own mounts the file and each path that the roles of the guide name', async () => {
  const guide = await readFile(path.join(root, 'docs/agents.md'), 'utf8');
  const [, section = ''] = guide.split('\n### Roles from a file\n');
  const [, override = '', roles = ''] =
    /^```yaml\n(.*?)^```\n\n```json\n(.*?)^```$/ms.exec(section) ?? [];
  expect(faultsOf(override)).toEqual([]);
  const { environment, volumes } = parse(override).services.api;
  const mounts: string[] = volumes.map((volume: string) => volume.split(':')[1]);
  const { node, reads } = JSON.parse(roles).roles[0].run;
  const needed: string[] = [environment.AGENT_ROLES, node, ...reads];
  const isMounted = (file: string) =>
    mounts.some((mount) => file === mount || file.startsWith(`${mount}/`));
  expect(needed.filter((file) => !isMounted(file))).toEqual([]);
});

/** Returns what compose makes of a value, in whose defaults there may be further variables. */
function interpolated(value: string, env: Readonly<Record<string, string>>): string {
  const inner = value.replaceAll(
    /\$\{([A-Z_]+):-([^${}]*)\}/g,
    (_, name: string, otherwise: string) => env[name] || otherwise,
  );
  return inner === value ? value : interpolated(inner, env);
}
