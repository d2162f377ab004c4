import { loadEnvFile } from '@session/kit';

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

/**
 * Sets the variables of the file `.env`, as `loadEnvFile()` does. If only the bootstrap set the hosts to bypass, those in the
 * file are used instead. For `main.ts` only.
 */
export function loadEnvFileBehindProxy(): void {
  for (const name of Object.keys(bypassProxy(process.env))) {
    if (process.env[name] === LOOPBACK_HOSTS) delete process.env[name];
  }
  loadEnvFile();
  // `fetch` reads both variables again for each request.
  Object.assign(process.env, bypassProxy(process.env));
}

function withLoopback(hosts: string | undefined): string {
  if (!hosts) return LOOPBACK_HOSTS;
  return hosts.endsWith(LOOPBACK_HOSTS) ? hosts : `${hosts},${LOOPBACK_HOSTS}`;
}
