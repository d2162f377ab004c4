import { isApiError, type OpenInvitation } from '@session/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useSelector } from '@tanstack/react-store';
import { meQuery } from '../../service/me.ts';
import { roleName } from '../../service/permissions.ts';
import { ME_KEY } from '../../service/queries.ts';
import { useService } from '../../service/service.ts';
import { useLinkSecret } from '../../service/use-link-secret.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { LoadingRegion } from '../../ui/loading-region.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast.tsx';
import { useSubmit } from '../../ui/use-submit.ts';
import { Welcome } from '../sign-in/welcome.tsx';

const HERE = { from: '/invitation' } as const;

export function InvitationPage() {
  const { client } = useService();
  const { secret, forget } = useLinkSecret('invitation');
  const { data, error, refetch } = useQuery(
    queryOptions({
      queryKey: ['invitation', secret],
      queryFn: ({ signal }) => client.invitations.look({ secret: secret ?? '' }, { signal }),
      // A visitor can read an invitation before signing in.
      enabled: secret !== null,
      staleTime: 'static',
    }),
  );
  usePageTitle('Invitation');
  if (secret === null || isApiError(error, 'link_invalid')) return <Invalid />;
  if (data) return <Open {...{ secret, forget }} invitation={data} />;
  return (
    <Welcome title="Invitation">
      {error ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} className="mt-4" />
      ) : (
        <LoadingRegion label="Invitation">
          <div className="mt-4 grid gap-3">
            <Skeleton className="h-5 w-full" />
            <Skeleton className="h-9 w-full" />
          </div>
        </LoadingRegion>
      )}
    </Welcome>
  );
}

function Invalid() {
  return (
    <Welcome title="This invitation is not valid">
      <p className="mt-2 mb-6 text-ink-2">
        It was accepted, withdrawn or replaced, or it is older than 7 days. Ask whoever invited you
        for a new one.
      </p>
      <ButtonLink to="/">To your projects</ButtonLink>
    </Welcome>
  );
}

interface OpenProps {
  readonly secret: string;
  readonly forget: () => void;
  readonly invitation: OpenInvitation;
}

function Open({ secret, forget, invitation }: OpenProps) {
  const { signIn } = useService();
  const { projectName, role, email } = invitation;
  const isSignedIn = useSelector(signIn.changes, () => signIn.token() !== null);
  return (
    <Welcome title={`Join “${projectName}”`}>
      <p className="mt-2 mb-6 text-ink-2 wrap-anywhere">
        {email} is invited to this project as {roleName(role)}.
      </p>
      {isSignedIn ? <Accept {...{ secret, forget, invitation }} /> : <SignInFirst />}
    </Welcome>
  );
}

function SignInFirst() {
  return (
    <div className="grid gap-3">
      <ButtonLink to="/sign-in" search={HERE} variant="primary">
        Sign in
      </ButtonLink>
      <ButtonLink to="/sign-up" search={HERE}>
        Sign up
      </ButtonLink>
      <p className="text-control text-ink-3">You come back here, and accept then.</p>
    </div>
  );
}

function Accept({ secret, forget, invitation: { projectName } }: OpenProps) {
  const { client, queries, signIn } = useService();
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery(client));
  const { isBusy, error, submit } = useSubmit();
  const accept = async () => {
    const { projectId, role } = await client.invitations.accept({ secret });
    await queries.invalidateQueries({ queryKey: ME_KEY });
    await navigate({ to: '/projects/$projectId', params: { projectId }, replace: true });
    forget();
    toast(`You are now ${roleName(role)} of “${projectName}”.`);
  };
  return (
    <div className="grid gap-3">
      {me ? (
        <p className="text-control text-ink-2 wrap-anywhere">
          You are signed in as {me.name} ({me.email}).
        </p>
      ) : null}
      <ErrorNotice error={error} />
      <Button variant="primary" isBusy={isBusy} onClick={() => submit(accept)}>
        Accept the invitation
      </Button>
      <Button variant="quiet" onClick={() => signIn.forget()}>
        Use another account
      </Button>
    </div>
  );
}
