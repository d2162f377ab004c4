import { expect, test } from 'vitest';
import * as z from 'zod';
import { createTestNamespace } from '../testing/namespace.ts';
import { hasStatus } from './api-error.ts';
import { openApiServer } from './api-server.ts';

const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: {} };
const SECRET = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } };

/** Paths within the agents' namespace, or absolute paths. */
const REFUSED: readonly (readonly ['DELETE' | 'GET' | 'POST', string, object?])[] = [
  ['GET', 'secrets'],
  ['GET', 'secrets/agent-a'],
  ['DELETE', 'secrets/agent-a'],
  ['GET', 'configmaps'],
  ['GET', 'events'],
  ['GET', 'serviceaccounts'],
  ['POST', 'serviceaccounts/default/token', {}],
  ['DELETE', 'pods'],
  ['POST', 'pods/a/exec?command=sh', {}],
  ['POST', 'pods/a/eviction', {}],
  ['GET', '/api/v1/namespaces'],
  ['GET', '/api/v1/nodes'],
  ['GET', '/api/v1/pods'],
  ['GET', '/api/v1/namespaces/default/pods'],
  ['POST', '/api/v1/namespaces/default/pods', POD],
  ['POST', '/api/v1/namespaces/default/secrets', SECRET],
  ['GET', '/api/v1/namespaces/kube-system/secrets'],
  ['GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles'],
  ['POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {}],
];
/** What every authenticated client may do: ask about itself. */
const FOR_EVERYBODY = /^(authorization|authentication)\.k8s\.io$/;

const Rules = z.object({
  status: z.object({
    incomplete: z.literal(false),
    resourceRules: z.array(
      z.object({
        apiGroups: z.array(z.string()),
        resources: z.array(z.string()),
        verbs: z.array(z.string()),
      }),
    ),
  }),
});

test('403 for everything that the service’s role does not need: other clients’ keys, other namespaces, the cluster', async () => {
  await using namespace = await createTestNamespace();
  await using api = openApiServer(namespace.kubeconfig);
  const attempts = REFUSED.map(async ([method, what, body]) => {
    const pathname = what.startsWith('/') ? what : `/api/v1/namespaces/${namespace.name}/${what}`;
    const outcome = await api.call(method, pathname, body && { body }).catch((error) => error);
    return hasStatus(outcome, 403) ? [] : [`${method} ${what}: ${String(outcome)}`];
  });
  expect((await Promise.all(attempts)).flat()).toEqual([]);
});

test('the rights that Kubernetes lists for the service’s role are those that agents need, and no more', async () => {
  await using namespace = await createTestNamespace();
  await using api = openApiServer(namespace.kubeconfig);
  const body = { spec: { namespace: namespace.name } };
  const review = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
  const { status } = Rules.parse(await api.call('POST', review, { body }));
  const rules = status.resourceRules
    .filter(({ apiGroups }) => !apiGroups.every((group) => FOR_EVERYBODY.test(group)))
    .map(({ resources, verbs }) => `${resources.join()}: ${verbs.join()}`);
  expect(rules.toSorted()).toEqual([
    'pods/log: get',
    'pods: create,get,list,watch,delete',
    'secrets: create',
  ]);
});
