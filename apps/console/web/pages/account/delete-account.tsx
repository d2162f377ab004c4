import { isApiError } from '@session/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMe } from '../../service/me.ts';
import { signInMethodsQuery } from '../../service/provider-sign-in.ts';
import { useService } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { fieldError } from '../../ui/failure.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { formText } from '../../ui/form-text.ts';
import { TextLink } from '../../ui/text-link.tsx';
import { toast } from '../../ui/toast.tsx';

export function DeleteAccount() {
  const { client, signIn } = useService();
  const [isAsking, setAsking] = useState(false);
  const remove = async (form: FormData) => {
    const password = formText(form, 'password');
    await client.account.delete(password === '' ? {} : { password });
    signIn.forget();
    toast('Your account is deleted.');
  };
  return (
    <>
      <Button className="justify-self-start" onClick={() => setAsking(true)}>
        Delete the account …
      </Button>
      <FormDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Delete your account?"
        description="You leave all projects and their rooms. What you said stays in the histories. This cannot be undone."
        submitLabel="Delete the account"
        variant="danger"
        onSubmit={remove}
        // The fields show every error (see `Refusal`).
        isBesideField={() => true}
      >
        {(error) => <DeleteFields error={error} />}
      </FormDialog>
    </>
  );
}

function DeleteFields({ error }: { readonly error: Error | null }) {
  const { client } = useService();
  // An account that signs in with the provider may have no password.
  const mayLack = Boolean(useQuery(signInMethodsQuery(client)).data?.provider);
  const passwordError = isApiError(error, 'wrong_password')
    ? 'This is not your password.'
    : fieldError(error, 'password');
  return (
    <>
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        required={!mayLack}
        hint={mayLack ? 'Leave it empty if your account has none.' : undefined}
        error={passwordError}
      />
      {error && !passwordError ? <Refusal error={error} /> : null}
    </>
  );
}

const WHAT_TO_DO: ReadonlyMap<string, string> = new Map([
  [
    'last_owner',
    'You are the only owner of these projects. Make another member an owner who then removes you, or delete them:',
  ],
  [
    'project_account',
    'These projects count for your account. Ask another owner of each to remove you, or delete them:',
  ],
]);

function Refusal({ error }: { readonly error: Error }) {
  const memberships = useMe()?.projectMemberships ?? [];
  const whatToDo = isApiError(error) ? WHAT_TO_DO.get(error.code) : undefined;
  const named = memberships.filter(
    ({ projectId }) => isApiError(error) && error.detail.includes(projectId),
  );
  if (!whatToDo || named.length === 0) return <ErrorNotice error={error} />;
  return (
    <div
      role="alert"
      className="grid gap-2 rounded-card border border-gap/40 bg-gap-soft p-4 text-control"
    >
      <p className="text-ink">{whatToDo}</p>
      <ul className="grid gap-1">
        {named.map(({ projectId, project }) => (
          <li key={projectId} className="wrap-anywhere">
            <TextLink to="/projects/$projectId/members" params={{ projectId }}>
              {project.name}
            </TextLink>
          </li>
        ))}
      </ul>
    </div>
  );
}
