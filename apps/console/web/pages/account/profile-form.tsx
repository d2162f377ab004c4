import { isApiError } from '@session/client';
import type { Me } from '@session/contract';
import { type SyntheticEvent, useState } from 'react';
import { meQuery } from '../../service/me.ts';
import { showChanged } from '../../service/queries.ts';
import { useService } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { fieldError, namesFields } from '../../ui/failure.ts';
import { TextField } from '../../ui/field.tsx';
import { formText } from '../../ui/form-text.ts';
import { toast } from '../../ui/toast.tsx';
import { useSubmit } from '../../ui/use-submit.ts';

export function ProfileForm({ me }: { readonly me: Me }) {
  const { client, queries } = useService();
  const { isBusy, error, submit } = useSubmit();
  const [name, setName] = useState(me.name);
  const [email, setEmail] = useState(me.email);
  const hasNewName = name.trim() !== me.name;
  const hasNewEmail = email.trim() !== me.email;
  const save = async (form: FormData) => {
    const changed = await client.account.change({
      ...(hasNewName && { name: name.trim() }),
      ...(hasNewEmail && { email: email.trim(), password: formText(form, 'password') }),
    });
    setName(changed.name);
    setEmail(changed.email);
    showChanged(queries, meQuery(client).queryKey, changed);
    toast('Your account is changed.');
  };
  const send = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    if (hasNewName || hasNewEmail) submit(async () => await save(form));
  };
  return (
    <form aria-label="Profile" onSubmit={send} className="grid gap-4">
      <TextField
        label="Name"
        name="name"
        autoComplete="name"
        value={name}
        onChange={({ target: { value } }) => setName(value)}
        required
        // Not only spaces.
        pattern=".*\S.*"
        maxLength={100}
        error={fieldError(error, 'name')}
      />
      <EmailFields email={email} isNew={hasNewEmail} onChange={setEmail} error={error} />
      {error && !isBesideField(error) ? <ErrorNotice error={error} /> : null}
      <Button
        type="submit"
        isBusy={isBusy}
        disabled={!hasNewName && !hasNewEmail}
        className="justify-self-start"
      >
        Save
      </Button>
    </form>
  );
}

interface EmailFieldsProps {
  readonly email: string;
  readonly isNew: boolean;
  readonly onChange: (email: string) => void;
  readonly error: unknown;
}

function EmailFields({ email, isNew, onChange, error }: EmailFieldsProps) {
  const isTaken = isApiError(error, 'email_taken');
  const isWrong = isApiError(error, 'wrong_password');
  return (
    <>
      <TextField
        label="E-mail"
        name="email"
        type="email"
        autoComplete="email"
        value={email}
        onChange={({ target: { value } }) => onChange(value)}
        required
        error={
          isTaken
            ? 'Another account has this address. Take another address.'
            : fieldError(error, 'email')
        }
      />
      {isNew ? (
        <TextField
          label="Present password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
          hint="You sign in with the new address from then on."
          error={isWrong ? 'This is not your password.' : fieldError(error, 'password')}
        />
      ) : null}
    </>
  );
}

function isBesideField(error: unknown): boolean {
  return (
    isApiError(error, 'wrong_password') ||
    isApiError(error, 'email_taken') ||
    namesFields(error, ['name', 'email', 'password'])
  );
}
