import type { ApiKey, IssuedApiKey } from '@session/client';
import type { SyntheticEvent } from 'react';
import { useService } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { fieldError } from '../../ui/failure.ts';
import { TextField } from '../../ui/field.tsx';
import { formText } from '../../ui/form-text.ts';
import { useSubmit } from '../../ui/use-submit.ts';
import { refreshKeys } from './keys-query.ts';

interface RotateKeyDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onIssued: (issued: IssuedApiKey) => void;
  readonly apiKey: ApiKey;
}

export function RotateKeyDialog(props: RotateKeyDialogProps) {
  const { isOpen, onClose, apiKey } = props;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={`Rotate “${apiKey.name}”`}
      description="The key gets a new secret. It keeps its role and its end."
    >
      <RotateKeyForm {...props} />
    </Dialog>
  );
}

function RotateKeyForm({ onClose, onIssued, apiKey: { id, projectId } }: RotateKeyDialogProps) {
  const { client, queries } = useService();
  const { isBusy, error, submit } = useSubmit();
  const rotate = async (hours: string) => {
    try {
      onIssued(await client.apiKeys.rotate(id, { keepOldHours: Number(hours) }));
      onClose();
    } finally {
      refreshKeys(queries, projectId);
    }
  };
  const send = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const hours = formText(new FormData(event.currentTarget), 'hours');
    submit(async () => await rotate(hours));
  };
  const hoursError = fieldError(error, 'keepOldHours');
  return (
    <form onSubmit={send} className="grid gap-4">
      <TextField
        label="Hours for which the old secret stays valid"
        name="hours"
        type="number"
        required
        min={0}
        max={168}
        defaultValue={24}
        hint="Change over your servers in this time. 0 ends the old secret at once."
        error={hoursError}
      />
      {error && !hoursError ? <ErrorNotice error={error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isBusy={isBusy}>
          Rotate
        </Button>
      </DialogActions>
    </form>
  );
}
