import { isApiError } from '@session/client';
import { useNavigate } from '@tanstack/react-router';
import type { SyntheticEvent } from 'react';
import { useService } from '../../service/service.ts';
import { useLinkSecret } from '../../service/use-link-secret.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { fieldError } from '../../ui/failure.ts';
import { TextField } from '../../ui/field.tsx';
import { formText } from '../../ui/form-text.ts';
import { usePageTitle } from '../../ui/page-title.ts';
import { toast } from '../../ui/toast.tsx';
import { useSubmit } from '../../ui/use-submit.ts';
import { Welcome } from './welcome.tsx';

export function ResetPasswordPage() {
  const { client, signIn } = useService();
  const { secret, forget } = useLinkSecret('password-link');
  const navigate = useNavigate();
  const { isBusy, error, submit } = useSubmit();
  usePageTitle('New password');
  const reset = async (password: string) => {
    const { token, user } = await client.account.resetPassword({ secret: secret ?? '', password });
    forget();
    signIn.accept(token);
    await navigate({ to: '/', replace: true });
    toast(`The password of ${user.email} is changed.`);
  };
  const send = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const password = formText(new FormData(event.currentTarget), 'password');
    submit(async () => await reset(password));
  };
  if (secret === null || isApiError(error, 'link_invalid')) return <Invalid />;
  const passwordError = fieldError(error, 'password');
  return (
    <Welcome title="Set a new password">
      <p className="mt-2 mb-6 text-ink-2">
        This signs you in here, and signs out all your other browsers and programs.
      </p>
      <form onSubmit={send} className="grid gap-4">
        <TextField
          label="New password"
          name="password"
          type="password"
          autoComplete="new-password"
          minLength={8}
          required
          hint="At least 8 characters."
          error={passwordError}
        />
        {error && !passwordError ? <ErrorNotice error={error} /> : null}
        <Button type="submit" variant="primary" isBusy={isBusy} className="mt-1 w-full">
          Set the password
        </Button>
      </form>
    </Welcome>
  );
}

function Invalid() {
  return (
    <Welcome title="This link is not valid">
      <p className="mt-2 mb-6 text-ink-2">
        It was used or replaced, or it is too old. Ask for a new one where you sign in.
      </p>
      <ButtonLink to="/sign-in">Sign in</ButtonLink>
    </Welcome>
  );
}
