import { path } from '../http/call.ts';
import { type ListOptions, listOf } from '../http/list.ts';
import type { Transport } from '../http/transport.ts';
import type { EndUser } from '../shapes.ts';

export interface ListEndUsersOptions extends ListOptions {
  readonly externalId?: string | undefined;
}

export function endUsersOf(transport: Transport) {
  return {
    /** Returns the end users for whom a token was ever requested in the project, the newest first. */
    list: (projectId: string, options?: ListEndUsersOptions) =>
      listOf<EndUser>(transport, path`/projects/${projectId}/end-users`, options),
  };
}
