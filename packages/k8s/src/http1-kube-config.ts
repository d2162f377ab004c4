import { KubeConfig } from '@kubernetes/client-node';

type Arguments = Parameters<KubeConfig['createDispatcherOptions']>;
type DispatcherOptions = ReturnType<KubeConfig['createDispatcherOptions']>;

/**
 * Uses HTTP/1.1. With HTTP/2, the end of an idle connection throws an exception that no code can catch (undici 8.12).
 */
export class Http1KubeConfig extends KubeConfig {
  override createDispatcherOptions(...parameters: Arguments): DispatcherOptions {
    const options = super.createDispatcherOptions(...parameters);
    if (options.type !== 'none' && options.type !== 'agent') return options;
    const connect = { ...('connect' in options && options.connect), allowH2: false };
    return { type: 'agent', connect };
  }
}
