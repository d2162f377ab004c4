import type { MemberRole } from '@session/contract';
import { roleName } from '../../service/permissions.ts';
import { refreshProjectList } from '../../service/queries.ts';
import { useService } from '../../service/service.ts';
import type { DialogState } from '../../ui/dialog.tsx';
import { fieldError, namesFields } from '../../ui/failure.ts';
import { FormDialog } from '../../ui/form.tsx';
import { toast } from '../../ui/toast.tsx';
import { MemberFields, memberIn } from './member-fields.tsx';

interface AddMemberDialogProps extends DialogState {
  readonly projectId: string;
  readonly roles: readonly MemberRole[];
}

export function AddMemberDialog({ projectId, roles, ...dialog }: AddMemberDialogProps) {
  const { client, queries } = useService();
  const add = async (form: FormData) => {
    try {
      const { user, role } = await client.members.add(projectId, memberIn(form, roles));
      toast(`${user.name} is now ${roleName(role)}.`);
    } finally {
      void refreshProjectList(queries, projectId, 'members');
    }
  };
  return (
    <FormDialog
      {...dialog}
      title="Add a member"
      description="For a person who has an account. Invite others."
      submitLabel="Add"
      onSubmit={add}
      isBesideField={(error) => namesFields(error, ['email'])}
    >
      {(error) => <MemberFields roles={roles} emailError={fieldError(error, 'email')} />}
    </FormDialog>
  );
}
