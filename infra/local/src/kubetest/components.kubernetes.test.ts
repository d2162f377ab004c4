import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { kubectl, testCluster } from '@session/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { apply, build, isNamespace, moved, podOf } from '../../testing/manifests.ts';

const kubernetes = path.resolve(import.meta.dirname, '../../../kubernetes');
const schemas = path.join(kubernetes, 'schemas');
const COMPONENTS = [
  'agent-roles',
  'autoscaling',
  'livekit-cluster',
  'local-models',
  'monitoring',
  'pgbouncer',
  'postgres-ha',
];
/** The kinds of other projects, by which the schemas are found. */
const KINDS_OF_OTHERS = ['Cluster', 'PodMonitor', 'PrometheusRule', 'ScaledObject'];

test('every component is in these tests', async () => {
  expect((await readdir(path.join(kubernetes, 'components'))).toSorted()).toEqual(COMPONENTS);
});

test.each(COMPONENTS)('%s is a component of its own: it needs no other one', async (component) => {
  const [without, added] = [await build('base'), await build('base', [component])];
  expect(added.length).toBeGreaterThan(without.length);
});

test('agent-roles: every API mounts the file that AGENT_ROLES names, and restarts when it changes', async () => {
  const manifests = await build('base', ['agent-roles']);
  const api = manifests.find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'api',
  );
  const { containers, volumes } = api?.spec?.template?.spec ?? {};
  expect(containers?.[0]).toMatchObject({
    env: expect.arrayContaining([{ name: 'AGENT_ROLES', value: '/etc/session/roles.json' }]),
    volumeMounts: expect.arrayContaining([
      { name: 'agent-roles', mountPath: '/etc/session', readOnly: true },
    ]),
  });
  const file = manifests.find(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('agent-roles-'),
  );
  expect(file).toMatchObject({ data: { 'roles.json': expect.stringContaining('"roles"') } });
  // The name has a hash of the content.
  expect(volumes).toContainEqual({ name: 'agent-roles', configMap: { name: file?.metadata.name } });
});

test('autoscaling: no manifest says how many APIs and recorders there are, so none undoes what was scaled', async () => {
  const manifests = await build('base', ['autoscaling']);
  const scaled = manifests.filter(({ kind, metadata: { name } }) =>
    ['Deployment api', 'StatefulSet recorder'].includes(`${kind} ${name}`),
  );
  expect(scaled.map(({ spec }) => spec?.['replicas'])).toEqual([undefined, undefined]);
});

test('local-models: agents, and the API that asks for their models, reach the same addresses and ports', async () => {
  const manifests = await build('base', ['local-models']);
  const [agents, api, ...others] = manifests.filter(
    ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'local-models',
  );
  expect(others).toEqual([]);
  expect(agents).toMatchObject({ metadata: { namespace: 'agents' }, spec: { podSelector: {} } });
  expect(api).toMatchObject({
    metadata: { namespace: 'session-service' },
    spec: { podSelector: { matchLabels: { 'app.kubernetes.io/name': 'api' } } },
  });
  expect(agents?.spec?.['egress']).toHaveLength(1);
  expect(api?.spec?.['egress']).toEqual(agents?.spec?.['egress']);
});

test('no command but Redis has a password as an argument, which the list of processes would show', async () => {
  const commands: string[] = [];
  JSON.stringify(await build('base', COMPONENTS), (key, value: unknown) => {
    if (key === 'command' || key === 'args') commands.push([value].flat().join(' '));
    return value;
  });
  expect(commands).toContainEqual(expect.stringContaining('redis-cli'));
  const open = commands.filter((command) =>
    /(?:^| )(?:-a|--\w*pass\w*)[ =]|\$\(\w*(?:PASSWORD|SECRET)\w*\)/.test(command),
  );
  // Redis replaces its arguments by its title.
  expect(open).toEqual([expect.stringContaining('--requirepass $(REDIS_PASSWORD)')]);
});

// Not on the cluster of a user: it has its own operators or none, and these tests must not change their schemas.
describe.skipIf(testCluster().own === undefined)('with the schemas of other projects', () => {
  beforeAll(async () => {
    await kubectl('apply', '--server-side', '-f', schemas);
    await kubectl('wait', '--for=condition=Established', '--timeout=60s', '-f', schemas);
    return async () => void (await kubectl('delete', '--wait=false', '-f', schemas));
  });

  test.each(['local', 'production'])(
    '%s with all components: the API server accepts every object as it is, and Pod Security every pod',
    async (overlay) => {
      // `overlays/local` has this one already.
      const added = COMPONENTS.filter(
        (name) => overlay === 'production' || name !== 'local-models',
      );
      const manifests = await moved(await build(`overlays/${overlay}`, added));
      await apply(manifests.filter(isNamespace));
      const others = manifests.filter((manifest) => !isNamespace(manifest));
      const applied = await apply(others, '--dry-run=server');
      expect(applied.trim().split('\n')).toHaveLength(others.length);
      await apply(manifests.flatMap(podOf), '--dry-run=server');
    },
  );

  test.each(KINDS_OF_OTHERS)('a field that a %s does not have is refused', async (kind) => {
    const manifests = await moved(await build('overlays/production', COMPONENTS));
    await apply(manifests.filter(isNamespace));
    const first = manifests.find((manifest) => manifest.kind === kind);
    const wrong = { ...first, spec: { ...first?.spec, misspelt: true } };
    await expect(apply([wrong], '--dry-run=server')).rejects.toThrow('unknown field "misspelt"');
  });
});
