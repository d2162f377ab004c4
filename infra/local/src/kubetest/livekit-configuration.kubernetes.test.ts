import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import * as z from 'zod';
import { build } from '../../testing/manifests.ts';

const Environment = z.looseObject({
  env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })),
});

test.each([
  { where: 'overlays/local', components: [] },
  { where: 'base', components: ['livekit-cluster'] },
])(
  'LiveKit takes its configuration of $where with $components, and listens where the policies allow it',
  async ({ where, components }) => {
    const livekit = (await build(where, components)).find(
      ({ kind, metadata: { name } }) => `${kind} ${name}` === 'Deployment livekit',
    );
    const { env } = Environment.parse(livekit?.spec?.template?.spec.containers[0]);
    const value = env.find(({ name }) => name === 'LIVEKIT_CONFIG')?.value ?? '';
    // Only a server on the internet finds its public address, by asking a server of Google.
    const config = value.replace('use_external_ip: true', 'use_external_ip: false');
    // The server reads its whole configuration, and refuses unknown fields.
    const { stdout } = await promisify(execFile)(inject('media').program, ['ports'], {
      env: { LIVEKIT_CONFIG: config, LIVEKIT_KEYS: `key: ${'s'.repeat(40)}` },
    });
    for (const port of ['7880', '7881', '7882']) expect(stdout).toContain(port);
  },
);
