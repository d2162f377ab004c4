import { isApiError } from '@session/client';
import type { SyntheticEvent } from 'react';
import { useService } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { fieldError, namesFields } from '../../ui/failure.ts';
import { TextField } from '../../ui/field.tsx';
import { formText } from '../../ui/form-text.ts';
import { toast } from '../../ui/toast.tsx';
import { useSubmit } from '../../ui/use-submit.ts';

export function PasswordForm() {
  const { client, signIn } = useService();
  const { isBusy, error, submit } = useSubmit();
  const change = async (element: HTMLFormElement) => {
    const form = new FormData(element);
    const passwords = { current: formText(form, 'current'), new: formText(form, 'new') };
    const { token } = await client.account.changePassword(passwords);
    signIn.accept(token);
    element.reset();
    toast('Your password is changed.');
  };
  const send = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    submit(async () => await change(form));
  };
  const isWrong = isApiError(error, 'wrong_password');
  return (
    <form aria-label="Password" onSubmit={send} className="grid gap-4">
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
      <Button type="submit" isBusy={isBusy} className="justify-self-start">
        Change the password
      </Button>
    </form>
  );
}
