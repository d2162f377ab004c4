import type { AgentRole } from '@session/agents';
import { type ApiServer, openApiServer } from '../src/api-server.ts';
import { KubernetesLauncher, type KubernetesLauncherOptions } from '../src/kubernetes-launcher.ts';
import { WATCH_TIMING } from '../src/pod-watch.ts';
import { createTestNamespace, type TestNamespace } from './namespace.ts';

export interface TestLauncher extends AsyncDisposable {
  readonly launcher: KubernetesLauncher;
  readonly options: KubernetesLauncherOptions;
  readonly namespace: TestNamespace;
}

type Programs = Readonly<Record<string, string>>;
type Overrides = Partial<KubernetesLauncherOptions>;

/**
 * Returns a launcher in a namespace of its own, with the rights of the API's service account. `scripts` are the programs of
 * its agents, in JavaScript, by name.
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

/** Returns another launcher in the namespace of `opened`, as a second process would have. */
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
    imageOf: ({ program }: AgentRole) => ({
      image: 'node:26-alpine',
      command: ['node', '-e', scripts[program] ?? ''],
    }),
    deadlineSeconds: 3600,
    graceSeconds: 10,
    timing: { ...WATCH_TIMING, retryMs: 20 },
    onFailure: () => {},
    ...overrides,
  };
}
