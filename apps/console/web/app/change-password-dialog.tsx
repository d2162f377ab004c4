import { isApiError } from '@session/client';
import type { SyntheticEvent } from 'react';
import { useService } from '../service/service.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { fieldError, namesFields } from '../ui/failure.ts';
import { TextField } from '../ui/field.tsx';
import { formText } from '../ui/form-text.ts';
import { toast } from '../ui/toast.tsx';
import { useSubmit } from '../ui/use-submit.ts';

interface ChangePasswordDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function ChangePasswordDialog({ isOpen, onClose }: ChangePasswordDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Change your password"
      description="This signs out all your other browsers and programs."
    >
      <PasswordForm onClose={onClose} />
    </Dialog>
  );
}

function PasswordForm({ onClose }: Pick<ChangePasswordDialogProps, 'onClose'>) {
  const { client, signIn } = useService();
  const { isBusy, error, submit } = useSubmit();
  const change = async (form: FormData) => {
    const passwords = { current: formText(form, 'current'), new: formText(form, 'new') };
    const { token } = await client.account.changePassword(passwords);
    signIn.accept(token);
    toast('Your password is changed.');
    onClose();
  };
  const send = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    submit(async () => await change(form));
  };
  const isWrong = isApiError(error, 'wrong_password');
  return (
    <form onSubmit={send} className="grid gap-4">
      <TextField
        label="Present password"
        name="current"
        type="password"
        autoComplete="current-password"
        required
        error={isWrong ? 'This is not your password.' : fieldError(error, 'current')}
      />
      <TextField
        label="New password"
        name="new"
        type="password"
        autoComplete="new-password"
        minLength={8}
        required
        hint="At least 8 characters."
        error={fieldError(error, 'new')}
      />
      {error && !isWrong && !namesFields(error, ['current', 'new']) ? (
        <ErrorNotice error={error} />
      ) : null}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isBusy={isBusy}>
          Change
        </Button>
      </DialogActions>
    </form>
  );
}
