import type { ApiKey, IssuedApiKey } from '@session/client';
import type { SyntheticEvent } from 'react';
import { roleName } from '../../service/permissions.ts';
import { useService } from '../../service/service.ts';
import { Dialog, FormActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { fieldError, namesFields } from '../../ui/failure.ts';
import { Select, TextField } from '../../ui/field.tsx';
import { formText } from '../../ui/form-text.ts';
import { useSubmit } from '../../ui/use-submit.ts';
import { refreshKeys } from './keys-query.ts';
import { endOfDay, today } from './last-day.ts';

interface CreateKeyDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onIssued: (issued: IssuedApiKey) => void;
  readonly projectId: string;
  readonly roles: readonly ApiKey['role'][];
}

export function CreateKeyDialog(props: CreateKeyDialogProps) {
  const { isOpen, onClose } = props;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Create a key"
      description="One for each backend and stage, so that each can be deleted alone."
    >
      <CreateKeyForm {...props} />
    </Dialog>
  );
}

const FIELDS = ['name', 'role', 'expiresAt'];

function CreateKeyForm({ onClose, onIssued, projectId, roles }: CreateKeyDialogProps) {
  const { client, queries } = useService();
  const { isBusy, error, submit } = useSubmit();
  const create = async (form: FormData) => {
    const role = roles.find((name) => name === form.get('role')) ?? 'MEMBER';
    const lastDay = formText(form, 'lastDay');
    const issued = await client.apiKeys.create(projectId, {
      name: formText(form, 'name').trim(),
      role,
      ...(lastDay && { expiresAt: endOfDay(lastDay) }),
    });
    refreshKeys(queries, projectId);
    onIssued(issued);
    onClose();
  };
  const send = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    submit(async () => await create(form));
  };
  return (
    <form onSubmit={send} className="grid gap-4">
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
      {error && !namesFields(error, FIELDS) ? <ErrorNotice error={error} /> : null}
      <FormActions onClose={onClose} submitLabel="Create" isBusy={isBusy} />
    </form>
  );
}
