import type { AgentType } from '@session/agents';
import { createTestNamespace, type TestNamespace } from '@session/testing';
import { type ApiServer, openApiServer } from '../src/api-server.ts';
import { KubernetesLauncher, type KubernetesLauncherOptions } from '../src/kubernetes-launcher.ts';
import { WATCH_TIMING } from '../src/pod-watch.ts';

export interface TestLauncher extends AsyncDisposable {
  readonly launcher: KubernetesLauncher;
  readonly options: KubernetesLauncherOptions;
  readonly namespace: TestNamespace;
}

type Programs = Readonly<Record<string, string>>;
type Overrides = Partial<KubernetesLauncherOptions>;

/**
 * Gives a launcher in a namespace of its own, with the rights of the API's service account. Its agents' programs are
 * `scripts`, in JavaScript, by their names.
 */
export async function openTestLauncher(
  scripts: Programs,
  overrides: Overrides = {},
): Promise<TestLauncher> {
  await using stack = new AsyncDisposableStack();
  const namespace = stack.use(await createTestNamespace());
  const api = stack.use(openApiServer(namespace.kubeconfig));
  const options = optionsOf(scripts, api, namespace.name, overrides);
  const launcher = stack.use(new KubernetesLauncher(options));
  const owned = stack.move();
  return { launcher, options, namespace, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Gives one more launcher in the namespace of `opened`, as of another process. */
export function openAnother(
  { options }: Pick<TestLauncher, 'options'>,
  overrides: Overrides = {},
): KubernetesLauncher {
  return new KubernetesLauncher({ ...options, ...overrides });
}

function optionsOf(
  scripts: Programs,
  api: ApiServer,
  namespace: string,
  overrides: Overrides,
): KubernetesLauncherOptions {
  return {
    api,
    namespace,
    instance: 'test',
    version: '0.0.0',
    imageOf: ({ program }: AgentType) => ({
      image: 'node:24-alpine',
      command: ['node', '-e', scripts[program] ?? ''],
    }),
    deadlineSeconds: 3600,
    graceSeconds: 10,
    timing: { ...WATCH_TIMING, retryMs: 20 },
    onFailure: () => {},
    ...overrides,
  };
}
