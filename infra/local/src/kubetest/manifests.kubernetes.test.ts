import { MIGRATION_LIMIT_MS } from '@session/db';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { apply, build, isNamespace, moved, podOf } from '../../testing/manifests.ts';
import { productVersion } from './product-version.ts';

/** API and recorder end within this time. */
const DRAIN_SECONDS = 25;
/** How long a start waits for the database, and for a pooler. */
const DATABASE_WAIT_MS = 30_000;
/** None of them fails while the database is away. */
const READINESS: Readonly<Record<string, object>> = {
  api: { path: '/ready', port: 'metrics' },
  console: { path: '/health', port: 'http' },
  recorder: { path: '/ready', port: 'metrics' },
};

/** What other parts of the manifests count on: ports, folders, rights. */
const FIXED = {
  api: ['PORT', 'METRICS_PORT', 'AGENT_LAUNCHER', 'AGENT_NAMESPACE', 'AGENT_INSTANCE'],
  recorder: ['METRICS_PORT', 'WEBHOOK_PORT', 'RECORDER_SPOOL_DIR'],
};

const Lifecycle = z.looseObject({
  lifecycle: z
    .object({ preStop: z.object({ sleep: z.object({ seconds: z.number() }) }) })
    .optional(),
});
const Start = z.looseObject({
  startupProbe: z.looseObject({ periodSeconds: z.number(), failureThreshold: z.number() }),
});
const Rollout = z.looseObject({ progressDeadlineSeconds: z.number() });
const Environment = z.looseObject({
  env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })),
});
const Policy = z.looseObject({ egress: z.array(z.unknown()).default([]) });
const Settings = z.object({ CONSOLE_API_URL: z.string(), CORS_ORIGINS: z.string().optional() });
const LivekitConfig = z.looseObject({ webhook: z.object({ urls: z.array(z.string()) }).loose() });

test.each(['local', 'production'])(
  '%s: the API server accepts every object as it is, and Pod Security every pod of it',
  async (overlay) => {
    const manifests = await moved(await build(`overlays/${overlay}`));
    await apply(manifests.filter(isNamespace));
    const others = manifests.filter((manifest) => !isNamespace(manifest));
    const applied = await apply(others, '--dry-run=server');
    expect(applied.trim().split('\n')).toHaveLength(others.length);
    // Pod Security checks pods, not the objects that create them.
    const pods = manifests.flatMap(podOf);
    await apply(pods, '--dry-run=server');
    expect(pods.length).toBeGreaterThanOrEqual(2);
  },
);

test.each(['local', 'production'])(
  '%s: nothing is restarted for its database, ended before it has drained, or drained all at once',
  async (overlay) => {
    const manifests = await build(`overlays/${overlay}`);
    const ours = manifests.filter(({ metadata: { name } }) =>
      /^(api|console|recorder)$/.test(name),
    );
    const pods = ours.flatMap(podOf);
    expect(pods).toHaveLength(3);
    for (const { spec } of pods) {
      const { lifecycle } = Lifecycle.parse(spec.containers[0]);
      const pauseSeconds = lifecycle?.preStop.sleep.seconds ?? 0;
      expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(pauseSeconds + DRAIN_SECONDS + 10);
      for (const container of spec.containers) {
        expect(container).toHaveProperty('livenessProbe.httpGet.path', '/');
        expect(container).toHaveProperty('startupProbe.httpGet.path', '/');
        expect(container).toHaveProperty('readinessProbe.httpGet', READINESS[container.name]);
      }
    }
    const budgets = ours.filter(({ kind }) => kind === 'PodDisruptionBudget');
    expect(budgets.map(({ metadata: { name } }) => name)).toEqual(['api', 'console', 'recorder']);
    const recorder = ours.find(({ kind }) => kind === 'StatefulSet');
    expect(recorder).toHaveProperty('spec.volumeClaimTemplates.0.metadata.name', 'spool');
    // A tag without a version may change its image.
    const containers = manifests.flatMap(podOf).flatMap(({ spec }) => spec.containers);
    for (const { image } of containers) expect(image).toMatch(/:v?\d+\.\d+/);
    const version = await productVersion();
    const tags = containers.flatMap(
      ({ image }) => /session-service\/.*:(.*)/.exec(image)?.[1] ?? [],
    );
    expect(tags).toEqual([version, version, version]);
  },
);

test('a start may wait for the migrations of another process and do its own, and a rollout waits longer', async () => {
  const manifests = await build('base');
  const containers = manifests.flatMap(podOf).flatMap(({ spec }) => spec.containers);
  const migrating = containers.filter(({ name }) => name === 'api' || name === 'recorder');
  expect(migrating).toHaveLength(2);
  const starts = migrating.map((container) => {
    const { periodSeconds, failureThreshold } = Start.parse(container).startupProbe;
    return periodSeconds * failureThreshold;
  });
  const longestSeconds = (2 * MIGRATION_LIMIT_MS + 2 * DATABASE_WAIT_MS) / 1000;
  expect(Math.min(...starts)).toBeGreaterThan(longestSeconds);
  const api = manifests.find(
    ({ kind, metadata: { name } }) => kind === 'Deployment' && name === 'api',
  );
  const { progressDeadlineSeconds } = Rollout.parse(api?.spec);
  expect(progressDeadlineSeconds).toBeGreaterThan(Math.max(...starts));
});

test('an overlay can set every variable of API and recorder, but those that other parts of the manifests count on', async () => {
  const pods = (await build('base')).flatMap(podOf);
  const containers = pods.flatMap(({ spec }) => spec.containers);
  // A variable in `env` wins over the ConfigMap of an overlay.
  const fixed = containers
    .filter((container) => 'envFrom' in container)
    .map((container) => [container.name, Environment.parse(container).env.map(({ name }) => name)]);
  expect(Object.fromEntries(fixed)).toEqual(FIXED);
});

test.each(['local', 'production'])(
  '%s: the console has no secret, connects to nothing, and its pages may call the API',
  async (overlay) => {
    const manifests = await build(`overlays/${overlay}`);
    const console = manifests.find(
      ({ kind, metadata }) => `${kind} ${metadata.name}` === 'Deployment console',
    );
    const [container] = console?.spec?.template?.spec.containers ?? [];
    expect(JSON.stringify(container)).not.toMatch(/secret/i);
    expect(container).toHaveProperty('securityContext.readOnlyRootFilesystem', true);
    const policies = manifests.filter(
      ({ kind, spec }) =>
        kind === 'NetworkPolicy' &&
        JSON.stringify(spec).includes('"app.kubernetes.io/name":"console"'),
    );
    expect(policies.map(({ spec }) => Policy.parse(spec).egress)).toEqual([[]]);
    expect(policies[0]).toHaveProperty('spec.policyTypes', ['Ingress', 'Egress']);
    const settings = manifests.find(({ kind }) => kind === 'ConfigMap')?.['data'];
    const { CONSOLE_API_URL, CORS_ORIGINS = '' } = Settings.parse(settings);
    const isBelowConsole = CONSOLE_API_URL.startsWith('/');
    expect(isBelowConsole || CORS_ORIGINS !== '').toBe(true);
  },
);

test('local: LiveKit sends webhooks to the recorders, through a service that leads to all of them', async () => {
  const manifests = await build('overlays/local');
  const find = (kind: string, name: string) =>
    manifests.find((one) => one.kind === kind && one.metadata.name === name);
  const livekit = find('Deployment', 'livekit')?.spec?.template;
  const config = Environment.parse(livekit?.spec.containers[0])
    .env.filter(({ name }) => name === 'LIVEKIT_CONFIG')
    .map(({ value = '' }) => LivekitConfig.parse(parse(value)));
  const url = new URL(config[0]?.webhook.urls[0] ?? '');
  expect(url.pathname).toBe('/webhooks/media');
  const recorder = find('StatefulSet', 'recorder')?.spec?.template;
  expect(find('Service', url.hostname)).toMatchObject({
    spec: {
      selector: { 'app.kubernetes.io/name': recorder?.metadata.labels['app.kubernetes.io/name'] },
      ports: [{ port: Number(url.port), targetPort: 'webhooks' }],
    },
  });
  const [container] = recorder?.spec.containers ?? [];
  const port = Environment.parse(container).env.find(({ name }) => name === 'WEBHOOK_PORT')?.value;
  expect(container).toHaveProperty(
    'ports',
    expect.arrayContaining([{ name: 'webhooks', containerPort: Number(port) }]),
  );
  const name = livekit?.metadata.labels['app.kubernetes.io/name'];
  expect(find('NetworkPolicy', 'webhooks')).toHaveProperty(
    'spec.ingress.0.from.0.podSelector.matchExpressions.0.values',
    expect.arrayContaining([name]),
  );
  expect(find('NetworkPolicy', 'webhooks')).toHaveProperty('spec.ingress.0.ports', [
    { protocol: 'TCP', port: Number(port) },
  ]);
});
