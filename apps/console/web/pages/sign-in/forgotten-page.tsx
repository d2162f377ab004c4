import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useService } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { fieldError, namesFields } from '../../ui/failure.ts';
import { TextField } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { formText } from '../../ui/form-text.ts';
import { usePageTitle } from '../../ui/page-title.ts';
import { TextLink } from '../../ui/text-link.tsx';
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
  const ask = async (form: FormData) => {
    const email = formText(form, 'email').trim();
    await client.account.forgotPassword({ email });
    onSent(email);
  };
  return (
    <div className="mt-2 grid gap-4">
      <p className="text-ink-2">You get a link by mail, with which you set a new one.</p>
      <Form
        onSubmit={ask}
        isBesideField={(error) => namesFields(error, ['email'])}
        renderActions={(isBusy) => (
          <Button type="submit" variant="primary" isBusy={isBusy} className="mt-1 w-full">
            Send the link
          </Button>
        )}
      >
        {(error) => (
          <TextField
            label="E-mail"
            name="email"
            type="email"
            autoComplete="username"
            required
            error={fieldError(error, 'email')}
          />
        )}
      </Form>
    </div>
  );
}
