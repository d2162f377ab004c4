import { type ClientOptions, clientOf, connect } from './create-client.ts';
import { accountOf } from './resources/account.ts';
import { apiKeysOf } from './resources/api-keys.ts';

/** Returns a client that can also administer: what few pages need, and what would make every page larger. */
export function createAdminClient(options: ClientOptions) {
  const transport = connect(options);
  return {
    ...clientOf(transport),
    account: accountOf(transport),
    apiKeys: apiKeysOf(transport),
  };
}

export type AdminClient = ReturnType<typeof createAdminClient>;
