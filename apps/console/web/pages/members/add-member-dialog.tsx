import type { MemberRole } from '@session/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SyntheticEvent } from 'react';
import { ROLE_SENTENCES, roleName } from '../../service/permissions.ts';
import { useService } from '../../service/service.ts';
import { Dialog, FormActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { fieldError, namesFields } from '../../ui/failure.ts';
import { Select, TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.tsx';

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
    const form = new FormData(event.currentTarget);
    const role = roles.find((name) => name === form.get('role')) ?? 'MEMBER';
    const email = form.get('email');
    if (typeof email === 'string') mutate({ email: email.trim(), role });
  };
  const emailError = fieldError(error, 'email');
  return (
    <form onSubmit={submit} className="grid gap-4">
      <TextField
        label="E-mail"
        name="email"
        type="email"
        required
        autoComplete="off"
        error={emailError}
      />
      <Select label="Role" name="role" defaultValue="MEMBER">
        {roles.map((role) => (
          <option key={role} value={role}>
            {roleName(role)}
          </option>
        ))}
      </Select>
      <ul className="grid gap-1.5 text-ink-3 text-label">
        {roles.map((role) => (
          <li key={role}>
            <b className="font-medium text-ink-2">{roleName(role)}:</b> {ROLE_SENTENCES[role]}
          </li>
        ))}
      </ul>
      {error && !namesFields(error, ['email']) ? <ErrorNotice error={error} /> : null}
      <FormActions onClose={onClose} submitLabel="Add" isBusy={isPending} />
    </form>
  );
}
