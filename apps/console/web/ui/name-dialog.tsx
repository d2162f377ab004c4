import type { DialogState } from './dialog.tsx';
import { fieldError } from './failure.ts';
import { TextField } from './field.tsx';
import { FormDialog } from './form.tsx';
import { formText } from './form-text.ts';

interface NameDialogProps extends DialogState {
  readonly title: string;
  readonly description?: string;
  readonly name: string;
  readonly maxLength: number;
  readonly submitLabel: string;
  readonly onSubmit: (name: string, signal: AbortSignal) => Promise<unknown>;
}

export function NameDialog({ name, maxLength, onSubmit, ...dialog }: NameDialogProps) {
  return (
    <FormDialog
      {...dialog}
      onSubmit={(form, signal) => onSubmit(formText(form, 'name').trim(), signal)}
      isBesideField={(error) => fieldError(error, 'name') !== undefined}
    >
      {(error) => (
        <TextField
          label="Name"
          name="name"
          defaultValue={name}
          required
          // Not only spaces.
          pattern=".*\S.*"
          maxLength={maxLength}
          autoComplete="off"
          error={fieldError(error, 'name')}
          onFocus={(event) => event.target.select()}
        />
      )}
    </FormDialog>
  );
}
