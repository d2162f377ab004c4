import { KubeConfig } from '@kubernetes/client-node';

type Arguments = Parameters<KubeConfig['createDispatcherOptions']>;
type Answer = ReturnType<KubeConfig['createDispatcherOptions']>;

/** As in `@session/k8s`: a test that restarts the API server must not end by an exception that nobody can catch. */
export class Http1KubeConfig extends KubeConfig {
  override createDispatcherOptions(...given: Arguments): Answer {
    const options = super.createDispatcherOptions(...given);
    if (options.type !== 'agent') return options;
    const connect = { ...options.connect, allowH2: false };
    return { ...options, connect };
  }
}
