import type { Session } from '@session/contract';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { isMissing, useService } from '../../service/service.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { MissingState } from '../../ui/missing-state.tsx';
import { OpenSession } from './open-session.tsx';
import { sessionQuery } from './session-queries.ts';
import { SessionSkeleton } from './session-skeleton.tsx';

export function SessionPage() {
  const { sessionId } = useParams({ from: '/signed-in/sessions/$sessionId' });
  return <SessionById key={sessionId} sessionId={sessionId} />;
}

function SessionById({ sessionId }: { readonly sessionId: string }) {
  const { client } = useService();
  const { data, error, refetch } = useQuery(sessionQuery(client, sessionId));
  if (isMissing(error)) return <MissingSession last={data} />;
  if (data) return <OpenSession session={data} />;
  if (!error) return <SessionSkeleton />;
  return (
    <div className="p-4 sm:p-6">
      <h1 className="mb-4 font-strong text-title">Session</h1>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
    </div>
  );
}

function MissingSession({ last }: { readonly last: Session | undefined }) {
  if (!last) {
    return (
      <MissingState
        title="There is no such session"
        action={<ButtonLink to="/">Your projects</ButtonLink>}
      >
        It was deleted, or it belongs to a project that you are not a member of. Ask the person who
        sent you the link.
      </MissingState>
    );
  }
  const { name, projectId } = last;
  return (
    <MissingState
      title={`“${name}” is gone`}
      action={
        <ButtonLink to="/projects/$projectId" params={{ projectId }}>
          Sessions of the project
        </ButtonLink>
      }
    >
      It was deleted, or you are no longer a member of its project. Its history cannot be read any
      more.
    </MissingState>
  );
}
