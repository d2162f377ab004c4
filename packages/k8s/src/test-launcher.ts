import type { AgentType } from '@session/agents';
import { createTestNamespace, type TestNamespace } from '@session/testing';
import { openApiServer } from './api-server.ts';
import { KubernetesLauncher, type KubernetesLauncherOptions } from './kubernetes-launcher.ts';
import { WATCH_TIMING } from './pod-watch.ts';

export interface TestLauncher extends AsyncDisposable {
  readonly launcher: KubernetesLauncher;
  readonly namespace: TestNamespace;
}

/**
 * Gives a launcher in a namespace of its own, with the rights of the API's service account. Its agents' programs are
 * `scripts`, in JavaScript, by their names.
 */
export async function openTestLauncher(
  scripts: Readonly<Record<string, string>>,
  options: Partial<KubernetesLauncherOptions> = {},
): Promise<TestLauncher> {
  await using stack = new AsyncDisposableStack();
  const namespace = stack.use(await createTestNamespace());
  const api = stack.use(openApiServer({ KUBECONFIG: namespace.kubeconfig }));
  const imageOf = ({ program }: AgentType) => ({
    image: 'node:24-alpine',
    command: ['node', '-e', scripts[program] ?? ''],
  });
  const launcher = stack.use(
    new KubernetesLauncher({
      api,
      namespace: namespace.name,
      instance: 'test',
      version: '0.0.0',
      imageOf,
      deadlineSeconds: 3600,
      graceSeconds: 10,
      timing: { ...WATCH_TIMING, retryMs: 20 },
      onFailure: () => {},
      ...options,
    }),
  );
  const owned = stack.move();
  return { launcher, namespace, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
