import { type ClientOptions, clientOf, connect } from './create-client.ts';
import { apiKeysOf } from './resources/api-keys.ts';

/** Returns a client that can also administer: what few pages need, and what would make every page larger. */
export function createAdminClient(options: ClientOptions) {
  const connection = connect(options);
  return { ...clientOf(connection), apiKeys: apiKeysOf(connection.transport) };
}

export type AdminClient = ReturnType<typeof createAdminClient>;
