import type { IssuedWebhook, Webhook } from '@session/client';
import type { SyntheticEvent } from 'react';
import { useService } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { fieldError } from '../../ui/failure.ts';
import { TextField } from '../../ui/field.tsx';
import { formText } from '../../ui/form-text.ts';
import { useSubmit } from '../../ui/use-submit.ts';

interface RotateSecretDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onIssued: (issued: IssuedWebhook) => void;
  readonly webhook: Webhook;
}

export function RotateSecretDialog(props: RotateSecretDialogProps) {
  const { isOpen, onClose } = props;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Rotate the secret"
      description="The webhook gets a new secret. Meanwhile each request is signed with both."
    >
      <RotateSecretForm {...props} />
    </Dialog>
  );
}

function RotateSecretForm({ onClose, onIssued, webhook: { id } }: RotateSecretDialogProps) {
  const { client } = useService();
  const { isBusy, error, submit } = useSubmit();
  const send = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const hours = formText(new FormData(event.currentTarget), 'hours');
    submit(async () => {
      onIssued(await client.webhooks.rotateSecret(id, { keepOldHours: Number(hours) }));
      onClose();
    });
  };
  const hoursError = fieldError(error, 'keepOldHours');
  return (
    <form onSubmit={send} className="grid gap-4">
      <TextField
        label="Hours for which the old secret signs too"
        name="hours"
        type="number"
        required
        min={0}
        max={168}
        defaultValue={24}
        hint="Change over your server in this time. 0 ends the old secret at once."
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
