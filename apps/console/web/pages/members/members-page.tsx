import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Mail, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useMe, useRole } from '../../service/me.ts';
import { ROLE_SENTENCES, ROLES, roleName, rolesToAdd } from '../../service/permissions.ts';
import { useService } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { CardList } from '../../ui/card-list.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Section } from '../../ui/section.tsx';
import { CardSkeleton } from '../../ui/skeleton.tsx';
import { AddMemberDialog } from './add-member-dialog.tsx';
import { Invitations } from './invitations.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { MemberRow } from './member-row.tsx';
import { membersQuery } from './members-query.ts';

export function MembersPage() {
  const { projectId } = useParams({ from: '/signed-in/projects/$projectId/members' });
  const { client } = useService();
  const me = useMe();
  const role = useRole(projectId);
  const [asked, setAsked] = useState<'add' | 'invite' | null>(null);
  const query = useQuery(membersQuery(client, projectId));
  const roles = rolesToAdd(role);
  const onClose = () => setAsked(null);
  return (
    <Page>
      <PageHeader
        title="Members"
        description={role ? `Your role in this project is ${roleName(role)}.` : undefined}
        actions={
          roles.length > 0 ? (
            <>
              <Button icon={<UserPlus aria-hidden size={16} />} onClick={() => setAsked('add')}>
                Add a member
              </Button>
              <Button
                variant="primary"
                icon={<Mail aria-hidden size={16} />}
                onClick={() => setAsked('invite')}
              >
                Invite
              </Button>
            </>
          ) : undefined
        }
      />
      <InviteDialog isOpen={asked === 'invite'} {...{ onClose, projectId, roles }} />
      <Loaded query={query} label="Members" skeleton={<CardSkeleton rows={3} />}>
        {(members) => (
          <CardList>
            {members.map((member) => (
              <MemberRow
                key={member.userId}
                member={member}
                ownRole={role}
                isSelf={member.userId === me?.id}
              />
            ))}
          </CardList>
        )}
      </Loaded>
      {roles.length > 0 && query.data ? (
        <Invitations projectId={projectId} ownRole={role} members={query.data} />
      ) : null}
      {query.isPending ? null : <Roles />}
      <AddMemberDialog isOpen={asked === 'add'} {...{ onClose, projectId, roles }} />
    </Page>
  );
}

function Roles() {
  return (
    <Section id="roles" title="What each role may do">
      <dl className="grid gap-3 text-control">
        {ROLES.map((role) => (
          <div key={role} className="grid gap-x-6 sm:grid-cols-[64px_minmax(0,1fr)]">
            <dt className="font-medium text-ink">{roleName(role)}</dt>
            <dd className="max-w-160 text-ink-2">{ROLE_SENTENCES[role]}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
