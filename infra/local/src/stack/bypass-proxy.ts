const LOOPBACK_HOSTS = '127.0.0.1,localhost,::1';

/**
 * Returns the variables with which Node bypasses the proxy for this machine's own servers; none without a proxy. Programs
 * differ in which spelling they read first.
 */
export function bypassProxy(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { NODE_USE_ENV_PROXY, HTTP_PROXY, http_proxy, NO_PROXY, no_proxy } = env;
  if (NODE_USE_ENV_PROXY !== '1' || !(HTTP_PROXY || http_proxy)) return {};
  return {
    NO_PROXY: withLoopback(NO_PROXY || no_proxy),
    no_proxy: withLoopback(no_proxy || NO_PROXY),
  };
}

function withLoopback(hosts: string | undefined): string {
  return hosts ? `${hosts},${LOOPBACK_HOSTS}` : LOOPBACK_HOSTS;
}
