import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { isMissing, useService } from '../../service/service.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { MissingSession } from './missing-session.tsx';
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
