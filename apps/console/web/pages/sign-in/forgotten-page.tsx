import { getRouteApi } from '@tanstack/react-router';
import { type SyntheticEvent, useState } from 'react';
import { useService } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { fieldError } from '../../ui/failure.ts';
import { TextField } from '../../ui/field.tsx';
import { formText } from '../../ui/form-text.ts';
import { usePageTitle } from '../../ui/page-title.ts';
import { TextLink } from '../../ui/text-link.tsx';
import { useSubmit } from '../../ui/use-submit.ts';
import { Welcome } from './welcome.tsx';

const route = getRouteApi('/signed-out/forgotten-password');

export function ForgottenPage() {
  const search = route.useSearch();
  const [sentTo, setSentTo] = useState<string | null>(null);
  usePageTitle('Forgotten your password?');
  return (
    <Welcome title={sentTo === null ? 'Forgotten your password?' : 'Look into your mail'}>
      {sentTo === null ? (
        <ForgottenForm onSent={setSentTo} />
      ) : (
        <output className="mt-2 block text-ink-2 wrap-anywhere">
          If {sentTo} has an account here, a link to set a new password is on its way.
        </output>
      )}
      <p className="mt-5 text-control text-ink-2">
        <TextLink to="/sign-in" search={search}>
          Back to signing in
        </TextLink>
      </p>
    </Welcome>
  );
}

function ForgottenForm({ onSent }: { readonly onSent: (email: string) => void }) {
  const { client } = useService();
  const { isBusy, error, submit } = useSubmit();
  const ask = async (email: string) => {
    await client.account.forgotPassword({ email });
    onSent(email);
  };
  const send = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const email = formText(new FormData(event.currentTarget), 'email').trim();
    submit(async () => await ask(email));
  };
  const emailError = fieldError(error, 'email');
  return (
    <form onSubmit={send} className="mt-2 grid gap-4">
      <p className="text-ink-2">You get a link by mail, with which you set a new one.</p>
      <TextField
        label="E-mail"
        name="email"
        type="email"
        autoComplete="username"
        required
        error={emailError}
      />
      {error && !emailError ? <ErrorNotice error={error} /> : null}
      <Button type="submit" variant="primary" isBusy={isBusy} className="mt-1 w-full">
        Send the link
      </Button>
    </form>
  );
}
