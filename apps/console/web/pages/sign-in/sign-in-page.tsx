import { isApiError } from '@session/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { keepBegunSignIn, signInMethodsQuery } from '../../service/provider-sign-in.ts';
import { useService } from '../../service/service.ts';
import type { SignOutReason } from '../../service/sign-in.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { TextField } from '../../ui/field.tsx';
import { formText } from '../../ui/form-text.ts';
import { usePageTitle } from '../../ui/page-title.ts';
import { TextLink } from '../../ui/text-link.tsx';
import { useSubmit } from '../../ui/use-submit.ts';
import { AccountForm } from './account-form.tsx';
import { TryItNow } from './try-it-now.tsx';
import { Or, Welcome } from './welcome.tsx';

const route = getRouteApi('/signed-out/sign-in');

const REASONS: Readonly<Record<SignOutReason, string>> = {
  expired: 'Your sign-in has expired. Sign in, and go on where you were.',
  elsewhere: 'You have signed out in another tab. Sign in, and go on where you were.',
  'signed-out': 'You are signed out.',
};

const WITHOUT_KEY =
  'To try it without an account, open the whole first address that npm start prints, with what follows the #.';

export function SignInPage() {
  const { config, demoKey, client, signIn } = useService();
  const search = route.useSearch();
  const isDemo = config.demo && demoKey !== null;
  const [reason] = useState(signIn.reason);
  const { provider = null, passwords = true } = useQuery(signInMethodsQuery(client)).data ?? {};
  usePageTitle('Sign in');
  const logIn = async (form: FormData) => {
    const account = { email: formText(form, 'email'), password: formText(form, 'password') };
    return (await client.auth.logIn(account)).token;
  };
  return (
    <Welcome title={reason ? 'Sign in' : 'Talk with agents. Keep every word.'}>
      {reason ? <output className="mt-2 block text-ink-2">{REASONS[reason]}</output> : null}
      {isDemo ? (
        <>
          <TryItNow demoKey={demoKey} />
          <Or />
        </>
      ) : (
        <p className="mt-2 mb-6 text-ink-2">{config.demo ? WITHOUT_KEY : null}</p>
      )}
      {provider ? <ProviderButton name={provider.name} from={search.from} /> : null}
      {provider && passwords ? <Or /> : null}
      {passwords ? (
        <>
          <AccountForm
            submitLabel="Sign in"
            isSecond={isDemo}
            onSubmit={logIn}
            isBesideField={(error) => isApiError(error, 'invalid_credentials')}
          >
            {(error) => <Fields error={error} />}
          </AccountForm>
          <p className="mt-5 text-control text-ink-2">
            New here?{' '}
            <TextLink to="/sign-up" search={search}>
              Sign up
            </TextLink>
          </p>
          <ForgottenHint search={search} />
        </>
      ) : null}
    </Welcome>
  );
}

function Fields({ error }: { readonly error: unknown }) {
  const isWrong = isApiError(error, 'invalid_credentials');
  return (
    <>
      <TextField label="E-mail" name="email" type="email" autoComplete="username" required />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
        error={isWrong ? 'The e-mail address or the password is wrong.' : undefined}
      />
    </>
  );
}

function ForgottenHint({ search }: { readonly search: { readonly from?: string } }) {
  const { client } = useService();
  const { data: methods } = useQuery(signInMethodsQuery(client));
  if (!methods?.passwords) return null;
  return (
    <p className="mt-2 text-control text-ink-2">
      {methods.mail ? (
        <TextLink to="/forgotten-password" search={search}>
          Forgotten your password?
        </TextLink>
      ) : (
        'Forgotten your password? Whoever operates this service can give you a link.'
      )}
    </p>
  );
}

interface ProviderButtonProps {
  readonly name: string;
  readonly from: string | undefined;
}

function ProviderButton({ name, from }: ProviderButtonProps) {
  const { client } = useService();
  const { isBusy, error, submit } = useSubmit();
  const begin = async () => {
    const { url, handle } = await client.signIn.start();
    keepBegunSignIn({ handle, from });
    location.assign(url);
  };
  return (
    <div className="mt-6 grid gap-2">
      <Button className="w-full" isBusy={isBusy} onClick={() => submit(begin)}>
        <span className="truncate">Sign in with {name}</span>
      </Button>
      <ErrorNotice error={error} className="mt-2" />
    </div>
  );
}
