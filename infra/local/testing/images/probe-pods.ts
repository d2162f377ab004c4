import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { productVersion } from '../../src/kubetest/product-version.ts';
import type { Kubectl } from './cluster-product.ts';
import { patiently } from './patiently.ts';
import { HOG, PROBE } from './probe.ts';

const MEMORY = '256Mi';

export interface PodProbes {
  readonly report: unknown;
  /** The cluster's reason for the end of a program that took all memory. */
  readonly endOfHog: string;
}

/** Runs the probe, and a program that takes all memory, as pods with the bounds of a deployment. */
export async function probePods(kubectl: Kubectl, folder: string): Promise<PodProbes> {
  await startPod(kubectl, { folder, name: 'probe', program: PROBE });
  await startPod(kubectl, { folder, name: 'hog', program: HOG });
  const endOf = async (name: string) => {
    const reason = '{.status.containerStatuses[0].state.terminated.reason}';
    return await patiently(() =>
      kubectl('get', 'pod', name, `--output=jsonpath=${reason}`).then(nonEmpty),
    );
  };
  await endOf('probe');
  return { report: JSON.parse(await kubectl('logs', 'probe')), endOfHog: await endOf('hog') };
}

function nonEmpty(text: string): string | undefined {
  return text || undefined;
}

async function startPod(
  kubectl: Kubectl,
  { folder, name, program }: Readonly<Record<'folder' | 'name' | 'program', string>>,
): Promise<void> {
  const container = {
    name,
    image: `session-service/echo-agent:${await productVersion()}`,
    args: ['--eval', program],
    resources: { limits: { memory: MEMORY } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
  };
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 1000,
        runAsGroup: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [container],
      volumes: [{ name: 'tmp', emptyDir: {} }],
    },
  };
  const file = path.join(folder, `${name}.json`);
  await writeFile(file, JSON.stringify(pod));
  await kubectl('apply', '--filename', file);
}
