import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { ownPath } from '../../service/own-path.ts';
import { takeBegunSignIn } from '../../service/provider-sign-in.ts';
import { useService } from '../../service/service.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { TextLink } from '../../ui/text-link.tsx';
import { useSubmit } from '../../ui/use-submit.ts';
import { Welcome } from './welcome.tsx';

const REFUSED = 'The identity provider has not signed you in.';
const ELSEWHERE = 'This sign-in was begun in another tab, or has ended already.';

export function ProviderPage() {
  const { client, signIn } = useService();
  const router = useRouter();
  const [begun] = useState(takeBegunSignIn);
  const [answer] = useState(() => new URLSearchParams(location.search));
  const { error, submit } = useSubmit();
  const isSent = useRef(false);
  // The code must not stay in the address or in the history of the browser.
  useEffect(() => history.replaceState(history.state, '', location.pathname), []);
  const [code, state] = [answer.get('code'), answer.get('state')];
  useEffect(() => {
    if (isSent.current || !begun || !code || !state) return;
    isSent.current = true;
    submit(async () => {
      const { token } = await client.signIn.finish({ handle: begun.handle, code, state });
      signIn.accept(token);
      await router.navigate({ href: ownPath(begun.from), replace: true });
    });
  }, [begun, code, state, client, signIn, router, submit]);
  usePageTitle('Sign in');
  const refusal = code && state ? undefined : REFUSED;
  const sentence = begun ? refusal : ELSEWHERE;
  const search = begun?.from === undefined ? {} : { from: begun.from };
  return (
    <Welcome title="Sign in">
      {sentence || error ? null : (
        <output className="mt-2 block text-ink-2">Signing you in …</output>
      )}
      {sentence ? <p className="mt-2 text-ink-2">{sentence}</p> : null}
      <ErrorNotice error={error} className="mt-4" />
      {sentence || error ? (
        <p className="mt-5 text-control text-ink-2">
          <TextLink to="/sign-in" search={search}>
            Back to the sign-in
          </TextLink>
        </p>
      ) : null}
    </Welcome>
  );
}
