import {
  type CallOptions,
  type CreateOptions,
  changing,
  creating,
  ending,
  path,
} from '../http/call.ts';
import { type ListOptions, listOf } from '../http/list.ts';
import type { Transport } from '../http/transport.ts';
import type { Member, MemberRole } from '../shapes.ts';

export function membersOf(transport: Transport) {
  return {
    list: (projectId: string, options?: ListOptions) =>
      listOf<Member>(transport, path`/projects/${projectId}/members`, options),
    /** Adds a user, as MEMBER by default. Throws `user_not_found`, `already_member`. */
    add: (
      projectId: string,
      body: { readonly email: string; readonly role?: MemberRole },
      options?: CreateOptions,
    ) => transport.json<Member>(creating(path`/projects/${projectId}/members`, body, options)),
    /** Changes a member's role. Throws `last_owner`, `project_account`. */
    changeRole: (
      projectId: string,
      userId: string,
      body: { readonly role: MemberRole },
      options?: CallOptions,
    ) =>
      transport.json<Member>(
        changing(path`/projects/${projectId}/members/${userId}`, body, options),
      ),
    /** Removes a member, who may be the caller. Throws `last_owner`, `project_account`. */
    remove: (projectId: string, userId: string, options?: CallOptions) =>
      transport.nothing(ending(path`/projects/${projectId}/members/${userId}`, options)),
  };
}
