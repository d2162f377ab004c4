import { findAgentRole } from '@session/agents';
import { expect, test } from 'vitest';
import { podOf, secretOf, selectorOf } from './pod-spec.ts';

const role = findAgentRole('echo-agent');
if (!role) throw new Error('the catalogue has this role');
const launch = {
  workloadId: '0199-a',
  agentId: '0199-a',
  sessionId: '0199-s',
  projectId: '0199-p',
  role,
  templateVariables: { LLM_API_KEY: 'hunter3', OWN_VARIABLE: 'own', MEDIA_TOKEN: 'other' },
  env: { MEDIA_TOKEN: 'hunter2' },
};
const options = {
  instance: 'blue',
  version: '1.2.3',
  imageOf: () => ({ image: 'registry.example/echo:1' }),
  deadlineSeconds: 600,
  graceSeconds: 30,
};
const labels = {
  'app.kubernetes.io/name': 'echo-agent',
  'app.kubernetes.io/component': 'agent',
  'app.kubernetes.io/instance': 'blue',
  'app.kubernetes.io/managed-by': 'session-service',
  'app.kubernetes.io/part-of': 'session-service',
  'app.kubernetes.io/version': '1.2.3',
  'session-service/agent-id': '0199-a',
  'session-service/session-id': '0199-s',
  'session-service/project-id': '0199-p',
};

test('an agent’s pod is accepted by a restricted namespace, with the resources of its role', () => {
  expect(podOf(launch, options)).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'agent-0199-a', labels },
    spec: {
      restartPolicy: 'Never',
      activeDeadlineSeconds: 600,
      terminationGracePeriodSeconds: 30,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 1000,
        runAsGroup: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          name: 'agent',
          image: 'registry.example/echo:1',
          imagePullPolicy: 'IfNotPresent',
          envFrom: [{ secretRef: { name: 'agent-0199-a' } }],
          resources: {
            requests: { cpu: '50m', memory: '128Mi' },
            limits: { cpu: '200m', memory: '512Mi' },
          },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          terminationMessagePolicy: 'FallbackToLogsOnError',
          volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
        },
      ],
      volumes: [{ name: 'tmp', emptyDir: { sizeLimit: '64Mi' } }],
    },
  });
});

test('an agent’s environment is in an immutable secret that its pod owns, and nowhere in the pod', () => {
  expect(secretOf(launch, 'uid-1', options)).toEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'agent-0199-a',
      labels,
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'agent-0199-a', uid: 'uid-1' }],
    },
    immutable: true,
    // An image of a team's own may read variables that no catalogue lists.
    stringData: { MEDIA_TOKEN: 'hunter2', LLM_API_KEY: 'hunter3', OWN_VARIABLE: 'own' },
  });
  expect(JSON.stringify(podOf(launch, options))).not.toContain('hunter');
});

test('the selector finds the pods of one deployment only', () => {
  expect(selectorOf('blue')).toBe(
    'app.kubernetes.io/managed-by=session-service,app.kubernetes.io/instance=blue',
  );
});
