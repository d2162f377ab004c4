import type { ReactNode, SyntheticEvent } from 'react';
import { Dialog, FormActions } from './dialog.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { useSubmit } from './use-submit.ts';

interface FormProps {
  /** The signal aborts when the form disappears, for example with a closed dialog. */
  readonly onSubmit: (form: FormData, signal: AbortSignal) => Promise<unknown>;
  /** Whether a field shows the sentence of this error. Any other error is shown below the fields. */
  readonly isBesideField?: (error: Error) => boolean;
  readonly renderActions: (isBusy: boolean) => ReactNode;
  readonly children: (error: Error | null) => ReactNode;
}

export function Form({ onSubmit, isBesideField, renderActions, children }: FormProps) {
  const { isBusy, error, submit } = useSubmit();
  const send = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    submit(async (signal) => await onSubmit(form, signal));
  };
  return (
    <form onSubmit={send} className="grid gap-4">
      {children(error)}
      {error && !isBesideField?.(error) ? <ErrorNotice error={error} /> : null}
      {renderActions(isBusy)}
    </form>
  );
}

interface DialogFormProps extends Omit<FormProps, 'renderActions'> {
  readonly onClose: () => void;
  readonly submitLabel: string;
  readonly variant?: 'primary' | 'danger';
}

export function DialogForm(props: DialogFormProps) {
  const { onClose, submitLabel, variant = 'primary', ...form } = props;
  return (
    <Form
      {...form}
      renderActions={(isBusy) => <FormActions {...{ onClose, submitLabel, isBusy, variant }} />}
    />
  );
}

interface FormDialogProps extends DialogFormProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly description?: string;
}

/** Closes when `onSubmit` has succeeded. The fields are reset each time the dialog opens. */
export function FormDialog({ isOpen, title, description, ...form }: FormDialogProps) {
  const { onClose, onSubmit } = form;
  const submit = async (data: FormData, signal: AbortSignal) => {
    await onSubmit(data, signal);
    // The dialog may be open again by now.
    if (!signal.aborted) onClose();
  };
  return (
    <Dialog {...{ isOpen, onClose, title, description }}>
      <DialogForm {...form} onSubmit={submit} />
    </Dialog>
  );
}
