import { isApiError } from '@session/client';
import { getRouteApi } from '@tanstack/react-router';
import { useService } from '../../service/service.ts';
import { fieldError, namesFields } from '../../ui/failure.ts';
import { TextField } from '../../ui/field.tsx';
import { formText } from '../../ui/form-text.ts';
import { usePageTitle } from '../../ui/page-title.ts';
import { TextLink } from '../../ui/text-link.tsx';
import { AccountForm } from './account-form.tsx';
import { Welcome } from './welcome.tsx';

const route = getRouteApi('/signed-out/sign-up');
const NAMES = ['name', 'email', 'password'] as const;
const MIN_PASSWORD = 8;

export function SignUpPage() {
  const { client } = useService();
  const search = route.useSearch();
  usePageTitle('Sign up');
  const signUp = async (form: FormData) => {
    const [name = '', email = '', password = ''] = NAMES.map((field) => formText(form, field));
    return (await client.auth.signUp({ name, email, password })).token;
  };
  return (
    <Welcome title="Sign up">
      <p className="mt-2 mb-6 text-ink-2">
        An account of your own, for projects and conversations that you share with whom you like.
      </p>
      <AccountForm
        submitLabel="Sign up"
        onSubmit={signUp}
        isBesideField={(error) => isApiError(error, 'email_taken') || namesFields(error, NAMES)}
      >
        {(error) => <Fields error={error} />}
      </AccountForm>
      <p className="mt-5 text-control text-ink-2">
        Signed up already?{' '}
        <TextLink to="/sign-in" search={search}>
          Sign in
        </TextLink>
      </p>
    </Welcome>
  );
}

function Fields({ error }: { readonly error: unknown }) {
  const isTaken = isApiError(error, 'email_taken');
  return (
    <>
      <TextField
        label="Name"
        name="name"
        autoComplete="name"
        required
        maxLength={100}
        error={fieldError(error, 'name')}
      />
      <TextField
        label="E-mail"
        name="email"
        type="email"
        autoComplete="username"
        required
        error={
          isTaken
            ? 'This address has an account already. Sign in instead, or take another address.'
            : fieldError(error, 'email')
        }
      />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="new-password"
        required
        minLength={MIN_PASSWORD}
        hint={`At least ${MIN_PASSWORD} characters.`}
        error={fieldError(error, 'password')}
      />
    </>
  );
}
