import { type IssuedInvitation, isApiError } from '@session/client';
import type { MemberRole } from '@session/contract';
import { useState } from 'react';
import { useService } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions, type DialogState } from '../../ui/dialog.tsx';
import { fieldError } from '../../ui/failure.ts';
import { DialogForm } from '../../ui/form.tsx';
import { CopiedCode } from '../keys/example-request.tsx';
import { refreshInvitations } from './invitations-query.ts';
import { MemberFields, memberIn } from './member-fields.tsx';

interface InviteDialogProps extends DialogState {
  readonly projectId: string;
  readonly roles: readonly MemberRole[];
}

export function InviteDialog({ isOpen, ...content }: InviteDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={content.onClose}
      title="Invite a person"
      description="Whoever opens the link becomes a member, with an account that they have or create. It is valid for 7 days, once."
    >
      <Content {...content} />
    </Dialog>
  );
}

function Content(props: Omit<InviteDialogProps, 'isOpen'>) {
  const [issued, setIssued] = useState<IssuedInvitation | null>(null);
  if (issued) return <IssuedLink issued={issued} onClose={props.onClose} />;
  return <InviteForm {...props} onIssued={setIssued} />;
}

interface InviteFormProps extends Omit<InviteDialogProps, 'isOpen'> {
  readonly onIssued: (issued: IssuedInvitation) => void;
}

function InviteForm({ onClose, projectId, roles, onIssued }: InviteFormProps) {
  const { client, queries } = useService();
  const invite = async (form: FormData) => {
    try {
      onIssued(await client.invitations.create(projectId, memberIn(form, roles)));
    } finally {
      refreshInvitations(queries, projectId);
    }
  };
  return (
    <DialogForm
      onClose={onClose}
      submitLabel="Invite"
      onSubmit={invite}
      isBesideField={(error) => emailErrorOf(error) !== undefined}
    >
      {(error) => <MemberFields roles={roles} emailError={emailErrorOf(error)} />}
    </DialogForm>
  );
}

function emailErrorOf(error: unknown): string | undefined {
  return isApiError(error, 'already_member')
    ? 'This person is a member already.'
    : fieldError(error, 'email');
}

interface IssuedLinkProps {
  readonly issued: IssuedInvitation;
  readonly onClose: () => void;
}

function IssuedLink({ issued: { email, link, mailed }, onClose }: IssuedLinkProps) {
  return (
    <div className="grid gap-4">
      <output className="text-control text-ink-2 wrap-anywhere">
        {mailed
          ? `The link is on its way to ${email}. You can also send it yourself.`
          : `No mail was sent: send this link to ${email} yourself.`}{' '}
        It is not shown again.
      </output>
      <CopiedCode text={link} label="Copy the link" />
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </div>
  );
}
