import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { kubectl, testCluster } from '@session/testing';
import { expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { apply, ClusterObject, isNamespace, moved, podOf } from '../../testing/manifests.ts';

const run = promisify(execFile);
const kubernetes = path.resolve(import.meta.dirname, '../../../kubernetes');
const Secrets = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      type: z.string(),
      data: z.record(z.string(), z.string()),
    }),
  ),
});

/** Returns the shell blocks of the README that deal with secrets, as one script. */
async function documentedCommands(): Promise<string> {
  const readme = await readFile(path.join(kubernetes, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  return blocks.filter((block) => block.includes('secret')).join('');
}

/**
 * A `kubectl` for scripts: it works in the namespaces of the test, notes its arguments in `log`, and leaves out what needs the
 * whole product in the cluster.
 */
function scriptedKubectl(log: string, suffix: string): string {
  const { kubeconfig, own } = testCluster();
  const real = own
    ? `'${own.program}' kubectl`
    : `'${execFileSync('which', ['kubectl']).toString().trim()}'`;
  return `#!/bin/sh
printf '%s\\n' "$@" >>'${log}'
former=
for argument; do
  shift
  [ "$former" = -n ] && argument="test-$argument-${suffix}"
  former=$argument
  set -- "$@" "$argument"
done
case "$1 $3" in
  apply*|'create livekit'|*' rollout'|*' wait'|*' logs'|*' delete') exit 0 ;;
esac
KUBECONFIG='${kubeconfig}' exec ${real} "$@"
`;
}

async function secretsIn(namespace: string): Promise<Map<string, Record<string, string>>> {
  const text = await kubectl('get', 'secrets', '--namespace', namespace, '--output=json');
  return new Map(
    Secrets.parse(JSON.parse(text)).items.map(({ metadata: { name }, type, data }) => {
      const values = Object.entries(data).map(([key, value]) => {
        return [key, Buffer.from(value, 'base64').toString()] as const;
      });
      return [name, { type, ...Object.fromEntries(values) }];
    }),
  );
}

/** Returns the name of the pull secret of pods without an account of their own, and its content. */
async function pullSecretsIn(namespace: string): Promise<(string | undefined)[]> {
  const name = '--output=jsonpath={.imagePullSecrets[*].name}';
  const pulled = await kubectl('get', 'sa', 'default', '--namespace', namespace, name);
  return [pulled, (await secretsIn(namespace)).get(pulled)?.['.dockerconfigjson']];
}

test('the documented commands create and change the secrets, and show none of them in an argument', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'commands-'));
  const suffix = randomUUID().slice(0, 8);
  const [service, livekit] = [`test-session-service-${suffix}`, `test-livekit-${suffix}`];
  const agents = `test-agents-${suffix}`;
  for (const namespace of [service, livekit, agents]) {
    await kubectl('create', 'namespace', namespace);
    onTestFinished(
      async () => void (await kubectl('delete', 'namespace', namespace, '--wait=false')),
    );
  }
  const log = path.join(folder.path, 'arguments');
  await writeFile(path.join(folder.path, 'kubectl'), scriptedKubectl(log, suffix), { mode: 0o700 });
  const script = await documentedCommands();
  // kubectl keeps a cache in `HOME`.
  const env = { PATH: `${folder.path}:${process.env['PATH']}`, HOME: folder.path };
  await writeFile(path.join(folder.path, 'erasures.jsonl'), '{}\n');
  await writeFile(path.join(folder.path, 'config.json'), '{"auths":{}}');
  const options = { env, cwd: folder.path };
  const { stdout } = await run('sh', ['-euc', `${script}\nprintf '%s' "$former"`], options);
  const former = stdout.split('\n').at(-1);

  const secrets = await secretsIn(service);
  const shared = secrets.get('session-service');
  const password = shared?.['POSTGRES_PASSWORD'] ?? '';
  expect(password).toMatch(/^[0-9a-f]{48}$/);
  expect(shared?.['DATABASE_URL']).toBe(`postgres://session:${password}@postgres:5432/session`);
  expect(secrets.get('receipts')).toMatchObject({ 'erasures.jsonl': '{}\n' });
  expect(secrets.get('postgres-app')).toEqual({
    type: 'kubernetes.io/basic-auth',
    username: 'session',
    password,
  });
  expect(secrets.get('pgbouncer')?.['userlist.txt']).toBe(`"session" "${password}"\n`);
  for (const namespace of [service, agents])
    expect(await pullSecretsIn(namespace)).toEqual(['registry', '{"auths":{}}']);
  const media = (await secretsIn(livekit)).get('livekit');
  expect(media?.['MEDIA_API_SECRET']).toBe(shared?.['MEDIA_API_SECRET']);
  expect(media?.['METRICS_PASSWORD']).toMatch(/^[0-9a-f]{48}$/);
  expect(secrets.get('livekit-metrics')).toEqual({
    type: 'kubernetes.io/basic-auth',
    username: 'prometheus',
    password: media?.['METRICS_PASSWORD'],
  });
  // The key of the API has been changed in three steps.
  const api = secrets.get('session-service-api');
  expect(Object.keys(api ?? {}).toSorted()).toEqual(['ENCRYPTION_KEY', 'JWT_SECRET', 'type']);
  expect(former).toMatch(/^[\w+/]{64}$/);
  expect(api?.['JWT_SECRET']).toMatch(/^[\w+/]{64}$/);
  expect(api?.['JWT_SECRET']).not.toBe(former);

  const given = await readFile(log, 'utf8');
  const all = [...secrets.values(), media ?? {}].flatMap((secret) => Object.values(secret));
  const long = all.filter((value) => value.length >= 32);
  expect(long.length).toBeGreaterThan(8);
  expect(long.filter((value) => given.includes(value.trim()))).toEqual([]);
});

test.each(['after-restore', 'erase-again'])(
  '%s.yaml: the API server accepts the job as it is, and Pod Security its pod',
  async (job) => {
    const files = ['base/service/namespace.yaml', `${job}.yaml`].map((file) =>
      readFile(path.join(kubernetes, file), 'utf8'),
    );
    const text = (await Promise.all(files)).join('---\n');
    const objects = parseAllDocuments(text).map((document) => ClusterObject.parse(document.toJS()));
    const manifests = await moved(objects);
    await apply(manifests.filter(isNamespace));
    const others = manifests.filter((manifest) => !isNamespace(manifest));
    expect(await apply(others, '--dry-run=server')).toContain(`job.batch/${job}`);
    const pods = manifests.flatMap(podOf);
    expect(pods).toHaveLength(1);
    await apply(pods, '--dry-run=server');
  },
);
