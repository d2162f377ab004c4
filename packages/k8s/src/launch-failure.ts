import { LaunchDelayed, LaunchRefused } from '@session/agents';
import { ApiError } from './api-error.ts';

/**
 * Gives what the failure to make a pod or secret is: a refusal that will not change is a LaunchRefused, one that may is
 * itself, or a LaunchDelayed when there is a name for what it leads to.
 */
export function launchFailure(error: unknown): Error {
  if (!(error instanceof ApiError))
    return error instanceof Error ? error : new Error(String(error));
  const { status, message } = error;
  if (status === 403 && message.includes('exceeded quota')) {
    return new LaunchDelayed({ reason: 'no_capacity', detail: message });
  }
  // A server that has just begun says so too, for a moment: it has not read its roles yet.
  if (status === 403 && / cannot \w+ resource /.test(message)) {
    return new LaunchDelayed({ reason: 'bad_configuration', detail: message });
  }
  // 401: our own token is being renewed; 409 here: somebody has just changed the quota.
  if (status >= 500 || [401, 408, 409, 429].includes(status)) return error;
  return new LaunchRefused({ reason: 'bad_configuration', detail: message });
}
