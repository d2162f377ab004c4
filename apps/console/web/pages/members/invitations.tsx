import type { Invitation, Member } from '@session/client';
import { useQuery } from '@tanstack/react-query';
import { mayRemove, roleName } from '../../service/permissions.ts';
import { refreshProjectList } from '../../service/queries.ts';
import { useService } from '../../service/service.ts';
import { Badge } from '../../ui/badge.tsx';
import { CardList } from '../../ui/card-list.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Section } from '../../ui/section.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { invitationsQuery } from './members-query.ts';

interface InvitationsProps {
  readonly projectId: string;
  readonly ownRole: string | undefined;
  readonly members: readonly Member[];
}

export function Invitations({ projectId, ownRole, members }: InvitationsProps) {
  const { client } = useService();
  const { data = [], error, refetch } = useQuery(invitationsQuery(client, projectId));
  if (error && data.length === 0) {
    return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  }
  if (data.length === 0) return null;
  return (
    <Section id="invitations" title="Open invitations">
      <CardList>
        {data.map((invitation) => (
          <InvitationRow
            key={invitation.id}
            {...{ projectId, ownRole, invitation }}
            creator={members.find(({ userId }) => userId === invitation.createdBy)?.user.name}
          />
        ))}
      </CardList>
    </Section>
  );
}

interface InvitationRowProps extends Pick<InvitationsProps, 'projectId' | 'ownRole'> {
  readonly invitation: Invitation;
  readonly creator: string | undefined;
}

function InvitationRow({ projectId, ownRole, invitation, creator }: InvitationRowProps) {
  const { email, role, createdAt, expiresAt } = invitation;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="grid min-w-40 flex-1 gap-0.5">
        <span className="min-w-0 font-medium text-control wrap-anywhere">{email}</span>
        <span className="text-ink-3 text-label wrap-anywhere">
          Invited <Time at={createdAt} /> by {creator ?? 'a former member'}, valid until{' '}
          <Time at={expiresAt} />
        </span>
      </div>
      <div className="flex items-center gap-2">
        <Badge>{roleName(role)}</Badge>
        {mayRemove(ownRole, role) ? (
          <Withdraw projectId={projectId} invitation={invitation} />
        ) : null}
      </div>
    </li>
  );
}

interface WithdrawProps {
  readonly projectId: string;
  readonly invitation: Invitation;
}

function Withdraw({ projectId, invitation: { id, email } }: WithdrawProps) {
  const { client, queries } = useService();
  const withdraw = async () => {
    try {
      await client.invitations.delete(id);
      toast(`The invitation of ${email} is withdrawn.`);
    } finally {
      void refreshProjectList(queries, projectId, 'invitations');
    }
  };
  return (
    <ConfirmButton
      subject={`the invitation of ${email}`}
      title={`Withdraw the invitation of ${email}?`}
      description="Its link is not valid any more. You can invite the person again."
      confirmLabel="Withdraw"
      onConfirm={withdraw}
    />
  );
}
