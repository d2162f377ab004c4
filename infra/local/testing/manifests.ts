import { randomUUID } from 'node:crypto';
import { mkdtempDisposable, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { kubectl } from '@session/testing';
import { onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';

const kubernetes = path.resolve(import.meta.dirname, '../../kubernetes');

const Container = z.looseObject({ name: z.string(), image: z.string() });
const PodTemplate = z.looseObject({
  metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }),
  spec: z.looseObject({
    terminationGracePeriodSeconds: z.number().optional(),
    containers: z.array(Container),
    volumes: z.array(z.looseObject({ name: z.string() })).optional(),
  }),
});
export const ClusterObject = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
  spec: z
    .looseObject({
      template: PodTemplate.optional(),
      volumeClaimTemplates: z
        .array(z.looseObject({ metadata: z.looseObject({ name: z.string() }) }))
        .optional(),
    })
    .optional(),
  subjects: z.array(z.looseObject({ namespace: z.string() })).optional(),
});
export type ClusterObject = z.output<typeof ClusterObject>;

export function isNamespace({ kind }: ClusterObject): boolean {
  return kind === 'Namespace';
}

/** Returns the objects of an overlay. Adds `components` as an operator's own overlay would. */
export async function build(
  overlay: string,
  components: readonly string[] = [],
): Promise<ClusterObject[]> {
  // Kustomize takes relative paths only, and these may lead out of its folder.
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'overlay-'));
  const real = await realpath(folder.path);
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [path.relative(real, path.join(kubernetes, overlay))],
    components: components.map((name) =>
      path.relative(real, path.join(kubernetes, 'components', name)),
    ),
  };
  await writeFile(path.join(real, 'kustomization.yaml'), JSON.stringify(kustomization));
  const text = await kubectl('kustomize', real);
  return parseAllDocuments(text).map((document) => ClusterObject.parse(document.toJS()));
}

/** Returns the objects in namespaces of the test's own: on a user's cluster the product's namespaces may be in use. */
export async function moved(manifests: readonly ClusterObject[]): Promise<ClusterObject[]> {
  const suffix = randomUUID().slice(0, 8);
  const rename = (name: string) => `test-${name}-${suffix}`;
  onTestFinished(async () => {
    for (const { kind, metadata } of manifests) {
      if (kind !== 'Namespace') continue;
      const name = rename(metadata.name);
      await kubectl('delete', 'namespace', name, '--ignore-not-found', '--wait=false');
    }
  });
  return manifests.map(({ metadata, subjects, ...rest }) => ({
    ...rest,
    metadata:
      rest.kind === 'Namespace'
        ? { ...metadata, name: rename(metadata.name) }
        : { ...metadata, namespace: rename(metadata.namespace ?? '') },
    ...(subjects && {
      subjects: subjects.map((one) => ({ ...one, namespace: rename(one.namespace) })),
    }),
  }));
}

/** Returns the pod that a manifest creates, but with a service account that every namespace has, and without a disk. */
export function podOf({ metadata: { name, namespace }, spec }: ClusterObject) {
  if (!spec?.template) return [];
  const { metadata, spec: pod } = spec.template;
  const names = { name, ...(namespace && { namespace }) };
  const claims = spec.volumeClaimTemplates ?? [];
  const disks = claims.map((claim) => ({ ...claim.metadata, emptyDir: {} }));
  const volumes = [...(pod.volumes ?? []), ...disks];
  const own = { ...pod, volumes, serviceAccountName: 'default' };
  return [{ apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, ...names }, spec: own }];
}

/** Applies the objects more strictly than `kubectl apply`: an unknown field is a failure. */
export async function apply(
  manifests: readonly object[],
  ...flags: readonly string[]
): Promise<string> {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'manifests-'));
  const file = path.join(folder.path, 'manifests.json');
  await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests }));
  return await kubectl('apply', '--server-side', '--validate=strict', ...flags, '-f', file);
}
