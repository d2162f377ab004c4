import type { SyntheticEvent } from 'react';
import { Dialog, FormActions } from './dialog.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { fieldError } from './failure.ts';
import { TextField } from './field.tsx';
import { formText } from './form-text.ts';
import { useSubmit } from './use-submit.ts';

interface RotationDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description: string;
  readonly label: string;
  readonly onRotate: (keepOldHours: number) => Promise<void>;
}

/** Asks how long the old secret stays valid, then rotates it. */
export function RotationDialog(props: RotationDialogProps) {
  const { isOpen, onClose, title, description } = props;
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} description={description}>
      <RotationForm {...props} />
    </Dialog>
  );
}

function RotationForm({ onClose, label, onRotate }: RotationDialogProps) {
  const { isBusy, error, submit } = useSubmit();
  const send = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const hours = formText(new FormData(event.currentTarget), 'hours');
    submit(async () => {
      await onRotate(Number(hours));
      onClose();
    });
  };
  const hoursError = fieldError(error, 'keepOldHours');
  return (
    <form onSubmit={send} className="grid gap-4">
      <TextField
        label={label}
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
      <FormActions onClose={onClose} submitLabel="Rotate" isBusy={isBusy} />
    </form>
  );
}
