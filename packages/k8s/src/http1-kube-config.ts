import { KubeConfig } from '@kubernetes/client-node';

type Arguments = Parameters<KubeConfig['createDispatcherOptions']>;
type Answer = ReturnType<KubeConfig['createDispatcherOptions']>;

/**
 * A kubeconfig whose connections speak HTTP/1.1. With HTTP/2, which they would choose, the end of a connection that has
 * nothing to do, as when the API server is restarted, is an exception that nobody can catch (undici 8.12).
 */
export class Http1KubeConfig extends KubeConfig {
  override createDispatcherOptions(...given: Arguments): Answer {
    const options = super.createDispatcherOptions(...given);
    if (options.type !== 'none' && options.type !== 'agent') return options;
    const connect = { ...('connect' in options && options.connect), allowH2: false };
    return { type: 'agent', connect };
  }
}
