import { useEffect, useRef } from 'react';
import { Dialog, FormActions } from './dialog.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { fieldError } from './failure.ts';
import { TextField } from './field.tsx';
import { formText } from './form-text.ts';
import { useSubmit } from './use-submit.ts';

interface NameDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: string;
  readonly name: string;
  readonly maxLength: number;
  readonly submitLabel: string;
  readonly onSubmit: (name: string, signal: AbortSignal) => Promise<unknown>;
}

export function NameDialog(props: NameDialogProps) {
  const { isOpen, onClose, title, description } = props;
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} description={description}>
      <NameForm {...props} />
    </Dialog>
  );
}

function NameForm({ onClose, name, maxLength, submitLabel, onSubmit }: NameDialogProps) {
  const { isBusy, error, submit } = useSubmit();
  const nameError = fieldError(error, 'name');
  const sent = useRef<AbortController>(undefined);
  useEffect(() => () => sent.current?.abort(), []);
  const save = async (form: FormData) => {
    const controller = new AbortController();
    sent.current = controller;
    await onSubmit(formText(form, 'name').trim(), controller.signal);
    // The dialog may be open again by now.
    if (!controller.signal.aborted) onClose();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        submit(async () => await save(form));
      }}
    >
      <TextField
        label="Name"
        name="name"
        defaultValue={name}
        required
        // Not only spaces.
        pattern=".*\S.*"
        maxLength={maxLength}
        autoComplete="off"
        error={nameError}
        onFocus={(event) => event.target.select()}
      />
      {error && !nameError ? <ErrorNotice error={error} className="mt-4" /> : null}
      <FormActions onClose={onClose} submitLabel={submitLabel} isBusy={isBusy} />
    </form>
  );
}
