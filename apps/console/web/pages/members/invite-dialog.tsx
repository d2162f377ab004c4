import { type IssuedInvitation, isApiError } from '@session/client';
import type { MemberRole } from '@session/contract';
import { useState } from 'react';
import { refreshProjectList } from '../../service/queries.ts';
import { useService } from '../../service/service.ts';
import type { DialogState } from '../../ui/dialog.tsx';
import { fieldError } from '../../ui/failure.ts';
import { FormDialog } from '../../ui/form.tsx';
import { IssuedSection } from '../keys/issued-section.tsx';
import { MemberFields, memberIn } from './member-fields.tsx';

interface InviteDialogProps extends DialogState {
  readonly projectId: string;
  readonly roles: readonly MemberRole[];
}

/**
 * Shows the links of new invitations in the page, because an answer may come after the dialog was closed or opened again.
 */
export function InviteDialog({ projectId, roles, ...dialog }: InviteDialogProps) {
  const { client, queries } = useService();
  const [issued, setIssued] = useState<readonly IssuedInvitation[]>([]);
  const invite = async (form: FormData) => {
    try {
      const invitation = await client.invitations.create(projectId, memberIn(form, roles));
      setIssued((others) => [...others, invitation]);
    } finally {
      void refreshProjectList(queries, projectId, 'invitations');
    }
  };
  return (
    <>
      {issued.map((invitation) => (
        <IssuedLink
          key={invitation.id}
          issued={invitation}
          onDone={() => setIssued((all) => all.filter(({ id }) => id !== invitation.id))}
        />
      ))}
      <FormDialog
        {...dialog}
        title="Invite a person"
        description="Whoever opens the link becomes a member, with an account that they have or create. It is valid for 7 days, once."
        submitLabel="Invite"
        onSubmit={invite}
        isBesideField={(error) => emailErrorOf(error) !== undefined}
      >
        {(error) => <MemberFields roles={roles} emailError={emailErrorOf(error)} />}
      </FormDialog>
    </>
  );
}

function emailErrorOf(error: unknown): string | undefined {
  return isApiError(error, 'already_member')
    ? 'This person is a member already.'
    : fieldError(error, 'email');
}

interface IssuedLinkProps {
  readonly issued: IssuedInvitation;
  readonly onDone: () => void;
}

function IssuedLink({ issued: { email, link, mailed }, onDone }: IssuedLinkProps) {
  const text = mailed
    ? `The link is on its way to ${email}. You can also send it yourself.`
    : `No mail was sent: send this link to ${email} yourself.`;
  return (
    <IssuedSection
      title={`The invitation of ${email}`}
      text={`${text} It is not shown again.`}
      code={link}
      copyLabel="Copy the link"
      doneLabel="Done"
      onDone={onDone}
    />
  );
}
