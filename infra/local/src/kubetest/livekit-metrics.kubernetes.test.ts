import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, inject, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { build } from '../../testing/manifests.ts';
import { firstFreePort } from '../supervision/ports.ts';

const host = '127.0.0.1';

const Pod = z.looseObject({
  hostNetwork: z.boolean().default(false),
  containers: z.array(
    z.looseObject({
      env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })).default([]),
    }),
  ),
});
const Config = z.looseObject({
  prometheus: z.object({ port: z.number(), username: z.string(), password: z.string() }).optional(),
});

test('LiveKit on a host network shows its metrics to nobody without the password, and Prometheus has it', async () => {
  const manifests = await build('overlays/production', ['livekit-cluster', 'monitoring']);
  const nodes = manifests.flatMap(({ metadata: { namespace, name }, spec }) => {
    const pod = spec?.template && Pod.parse(spec.template.spec);
    const env = pod?.hostNetwork ? pod.containers.flatMap((container) => container.env) : [];
    const config = env.find((one) => one.name === 'LIVEKIT_CONFIG')?.value;
    return config === undefined ? [] : [{ namespace, name, env, config }];
  });
  expect(nodes.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual(['livekit/livekit']);
  const [{ env, config } = { env: [], config: '' }] = nodes;
  // The setting `prometheus_port` cannot have a password.
  expect(config).not.toContain('prometheus_port');
  const password = '$(METRICS_PASSWORD)';
  expect(Config.parse(parse(config)).prometheus).toEqual({
    port: 6789,
    username: 'prometheus',
    password,
  });
  const secret = 'a'.repeat(48);
  const url = await startLivekit(config.replace(password, secret));
  const statusFor = async (user: string) => {
    const headers = { authorization: `Basic ${Buffer.from(user).toString('base64')}` };
    return (await fetch(url, user ? { headers } : {})).status;
  };
  expect(await statusFor('')).toBe(401);
  expect(await statusFor('prometheus:')).toBe(401);
  expect(await statusFor(`prometheus:${password}`)).toBe(401);
  expect(await statusFor(`prometheus:${secret}`)).toBe(200);
  // Without the secret the node does not start. Kubernetes expands only variables that are defined earlier in the list.
  const names = env.map(({ name }) => name);
  expect(names.indexOf('LIVEKIT_CONFIG')).toBeGreaterThan(names.indexOf('METRICS_PASSWORD'));
  expect(env).toContainEqual({
    name: 'METRICS_PASSWORD',
    valueFrom: { secretKeyRef: { name: 'livekit', key: 'METRICS_PASSWORD' } },
  });
  const monitor = manifests.find(
    ({ kind, metadata: { name } }) => `${kind} ${name}` === 'PodMonitor livekit',
  );
  expect(monitor?.spec).toMatchObject({
    namespaceSelector: { matchNames: ['livekit'] },
    selector: { matchLabels: { 'app.kubernetes.io/name': 'livekit' } },
    podMetricsEndpoints: [
      {
        port: 'metrics',
        basicAuth: {
          username: { name: 'livekit-metrics', key: 'username' },
          password: { name: 'livekit-metrics', key: 'password' },
        },
      },
    ],
  });
});

/** Starts a LiveKit of the test's own with the metrics of `config`, and returns their address. */
async function startLivekit(config: string): Promise<string> {
  const port = await firstFreePort([], host);
  const metricsPort = await firstFreePort([], host, new Set([port]));
  const rtcPort = await firstFreePort([], host, new Set([port, metricsPort]));
  const { prometheus } = Config.parse(parse(config));
  const own = {
    port,
    prometheus: { ...prometheus, port: metricsPort },
    rtc: { tcp_port: rtcPort, udp_port: rtcPort, use_external_ip: false, node_ip: host },
  };
  const child = spawn(inject('media').program, ['--bind', host], {
    env: { LIVEKIT_CONFIG: JSON.stringify(own), LIVEKIT_KEYS: `key: ${'s'.repeat(40)}` },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const url = `http://${host}:${metricsPort}/metrics`;
  await expect
    .poll(() =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  return url;
}
