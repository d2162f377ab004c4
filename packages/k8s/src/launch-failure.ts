import { LaunchDelayed, LaunchRefused } from '@session/agents';
import { ApiServerError } from './api-error.ts';

/**
 * Returns a LaunchDelayed for an exceeded quota or missing rights, the error itself for other failures after which a
 * retry may succeed, and otherwise a LaunchRefused.
 */
export function launchFailure(error: unknown): Error {
  if (!(error instanceof ApiServerError))
    return error instanceof Error ? error : new Error(String(error));
  const { status, message } = error;
  if (status === 403 && message.includes('exceeded quota')) {
    return new LaunchDelayed({ reason: 'no_capacity', detail: message });
  }
  // An API server that has just started refuses even permitted requests in this way, until it has loaded its RBAC
  // roles.
  if (status === 403 && / cannot \w+ resource /.test(message)) {
    return new LaunchDelayed({ reason: 'bad_configuration', detail: message });
  }
  // The quota is new, or the API server has just started: the same request succeeds seconds later.
  if (status === 403 && /status unknown for quota|not yet ready to handle request/.test(message)) {
    return error;
  }
  // 401: our token is being renewed. 409: the quota was just changed.
  if (status >= 500 || [401, 408, 409, 429].includes(status)) return error;
  return new LaunchRefused({ reason: 'bad_configuration', detail: message });
}
