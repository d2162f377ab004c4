import type { Statistics } from '@session/contract';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useService } from '../../service/service.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Figures } from './figures.tsx';
import { Findings } from './findings.tsx';
import { MonitoredSessions } from './monitored-sessions.tsx';
import { Recorders } from './recorders.tsx';
import { statisticsQuery } from './statistics-query.ts';

export function MonitoringPage() {
  const { projectId } = useParams({ from: '/signed-in/projects/$projectId/monitoring' });
  const { client } = useService();
  const query = useQuery(statisticsQuery(client));
  return (
    <Page>
      <PageHeader
        title="Monitoring"
        description="All your projects together, read again every five seconds. The sessions below are this project’s."
      />
      <Loaded query={query} label="Figures" skeleton={<Skeletons />}>
        {(statistics) => <Overview statistics={statistics} projectId={projectId} />}
      </Loaded>
    </Page>
  );
}

interface OverviewProps {
  readonly statistics: Statistics;
  readonly projectId: string;
}

function Overview({ statistics, projectId }: OverviewProps) {
  const { drift, webhooks, recorders, monitored } = statistics;
  return (
    <>
      <Findings drift={drift} webhooks={webhooks} hasRecorders={recorders.length > 0} />
      <Figures statistics={statistics} />
      <Recorders recorders={recorders} />
      <MonitoredSessions
        sessions={monitored.filter((session) => session.projectId === projectId)}
      />
    </>
  );
}

function Skeletons() {
  return (
    <div className="grid gap-4">
      <Skeleton className="h-28 w-full" />
      <Skeleton className="h-20 w-full" />
      <Skeleton className="h-40 w-full" />
    </div>
  );
}
