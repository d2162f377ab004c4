import type { DialogState } from './dialog.tsx';
import { fieldError, namesFields } from './failure.ts';
import { TextField } from './field.tsx';
import { FormDialog } from './form.tsx';
import { formText } from './form-text.ts';

interface RotationDialogProps extends DialogState {
  readonly title: string;
  readonly description: string;
  readonly label: string;
  readonly onRotate: (keepOldHours: number) => Promise<void>;
}

export function RotationDialog({ label, onRotate, ...dialog }: RotationDialogProps) {
  return (
    <FormDialog
      {...dialog}
      submitLabel="Rotate"
      onSubmit={(form) => onRotate(Number(formText(form, 'hours')))}
      isBesideField={(error) => namesFields(error, ['keepOldHours'])}
    >
      {(error) => (
        <TextField
          label={label}
          name="hours"
          type="number"
          required
          min={0}
          max={168}
          defaultValue={24}
          hint="Change over your servers in this time. 0 ends the old secret at once."
          error={fieldError(error, 'keepOldHours')}
        />
      )}
    </FormDialog>
  );
}
