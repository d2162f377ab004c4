import { type CallOptions, ending, path, posting } from '../http/call.ts';
import { type ListOptions, listOf } from '../http/list.ts';
import type { Transport } from '../http/transport.ts';
import type { ApiKey, ApiKeyBody, ApiKeyRotationBody, IssuedApiKey } from '../shapes.ts';

/**
 * Returns the calls for API keys, with which a backend calls the API. A secret is shown only once, when it is created.
 */
export function apiKeysOf(transport: Transport) {
  return {
    list: (projectId: string, options?: ListOptions) =>
      listOf<ApiKey>(transport, path`/projects/${projectId}/api-keys`, options),
    /** Creates a key, with the role MEMBER by default. Throws `key_capacity`. */
    create: (projectId: string, body: ApiKeyBody, options?: CallOptions) =>
      transport.json<IssuedApiKey>(posting(path`/projects/${projectId}/api-keys`, body, options)),
    /** Returns a key with a new secret. Older secrets stay valid for a day, or for `keepOldHours`. */
    rotate: (id: string, body: ApiKeyRotationBody = {}, options?: CallOptions) =>
      transport.json<IssuedApiKey>(posting(path`/api-keys/${id}/rotate`, body, options)),
    /** Deletes a key, and removes from the rooms everyone who has a token from it. */
    delete: (id: string, options?: CallOptions) =>
      transport.nothing(ending(path`/api-keys/${id}`, options)),
  };
}
