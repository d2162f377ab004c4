import { type CallOptions, ending, path, posting } from '../http/call.ts';
import { type ListOptions, listOf } from '../http/list.ts';
import type { Transport } from '../http/transport.ts';
import type {
  AcceptedInvitation,
  Invitation,
  IssuedInvitation,
  MemberRole,
  OpenInvitation,
} from '../shapes.ts';

/**
 * Returns the calls for invitations: links by which people become members. A link is shown only once, when it is
 * created.
 */
export function invitationsOf(transport: Transport) {
  return {
    list: (projectId: string, options?: ListOptions) =>
      listOf<Invitation>(transport, path`/projects/${projectId}/invitations`, options),
    /** Invites a person, as MEMBER by default. Throws `already_member`, `invitation_capacity`. */
    create: (
      projectId: string,
      body: { readonly email: string; readonly role?: MemberRole },
      options?: CallOptions,
    ) =>
      transport.json<IssuedInvitation>(
        posting(path`/projects/${projectId}/invitations`, body, options),
      ),
    delete: (id: string, options?: CallOptions) =>
      transport.nothing(ending(path`/invitations/${id}`, options)),
    /** Returns what a link's secret gives access to, without a token. Throws `link_invalid`. */
    look: (body: { readonly secret: string }, options?: CallOptions) =>
      transport.json<OpenInvitation>({
        ...posting('/invitations/look', body, options),
        isPublic: true,
      }),
    /** Makes the caller a member. A caller who is already a member gets the higher of both roles. Throws `link_invalid`. */
    accept: (body: { readonly secret: string }, options?: CallOptions) =>
      transport.json<AcceptedInvitation>(posting('/invitations/accept', body, options)),
  };
}
