import type { ApiKey, IssuedApiKey } from '@session/client';
import { roleName } from '../../service/permissions.ts';
import { refreshProjectList } from '../../service/queries.ts';
import { useService } from '../../service/service.ts';
import type { DialogState } from '../../ui/dialog.tsx';
import { fieldError, namesFields } from '../../ui/failure.ts';
import { Select, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { formText } from '../../ui/form-text.ts';
import { endOfDay, today } from './last-day.ts';

interface CreateKeyDialogProps extends DialogState {
  readonly onIssued: (issued: IssuedApiKey) => void;
  readonly projectId: string;
  readonly roles: readonly ApiKey['role'][];
}

const FIELDS = ['name', 'role', 'expiresAt'];

export function CreateKeyDialog({ onIssued, projectId, roles, ...dialog }: CreateKeyDialogProps) {
  const { client, queries } = useService();
  const create = async (form: FormData) => {
    const role = roles.find((name) => name === form.get('role')) ?? 'MEMBER';
    const lastDay = formText(form, 'lastDay');
    const issued = await client.apiKeys.create(projectId, {
      name: formText(form, 'name').trim(),
      role,
      ...(lastDay && { expiresAt: endOfDay(lastDay) }),
    });
    void refreshProjectList(queries, projectId, 'api-keys');
    onIssued(issued);
  };
  return (
    <FormDialog
      {...dialog}
      title="Create a key"
      description="One for each backend and stage, so that each can be deleted alone."
      submitLabel="Create"
      onSubmit={create}
      isBesideField={(error) => namesFields(error, FIELDS)}
    >
      {(error) => <KeyFields roles={roles} error={error} />}
    </FormDialog>
  );
}

interface KeyFieldsProps extends Pick<CreateKeyDialogProps, 'roles'> {
  readonly error: unknown;
}

function KeyFields({ roles, error }: KeyFieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        name="name"
        required
        // Not only spaces.
        pattern=".*\S.*"
        maxLength={100}
        autoComplete="off"
        error={fieldError(error, 'name')}
      />
      <Select label="Role" name="role" defaultValue="MEMBER" error={fieldError(error, 'role')}>
        {roles.map((role) => (
          <option key={role} value={role}>
            {roleName(role)}
          </option>
        ))}
      </Select>
      <TextField
        label="Last day (optional)"
        name="lastDay"
        type="date"
        min={today()}
        max="9999-12-30"
        hint="Without it the key is valid until it is deleted."
        error={fieldError(error, 'expiresAt')}
      />
    </>
  );
}
