import type { MemberRole } from '@session/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SyntheticEvent } from 'react';
import { roleName } from '../../service/permissions.ts';
import { useService } from '../../service/service.ts';
import { Dialog, FormActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { fieldError, namesFields } from '../../ui/failure.ts';
import { toast } from '../../ui/toast.tsx';
import { MemberFields, memberIn } from './member-fields.tsx';

interface AddMemberDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly projectId: string;
  readonly roles: readonly MemberRole[];
}

export function AddMemberDialog(props: AddMemberDialogProps) {
  const { isOpen, onClose } = props;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Add a member"
      description="For a person who has an account. Invite others."
    >
      <AddMemberForm {...props} />
    </Dialog>
  );
}

function AddMemberForm({ onClose, projectId, roles }: AddMemberDialogProps) {
  const { client } = useService();
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (body: { readonly email: string; readonly role: MemberRole }) =>
      client.members.add(projectId, body),
    onSuccess: ({ user, role }) => {
      toast(`${user.name} is now ${roleName(role)}.`);
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['project', projectId, 'members'] }),
  });
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    mutate(memberIn(new FormData(event.currentTarget), roles));
  };
  const emailError = fieldError(error, 'email');
  return (
    <form onSubmit={submit} className="grid gap-4">
      <MemberFields roles={roles} emailError={emailError} />
      {error && !namesFields(error, ['email']) ? <ErrorNotice error={error} /> : null}
      <FormActions onClose={onClose} submitLabel="Add" isBusy={isPending} />
    </form>
  );
}
