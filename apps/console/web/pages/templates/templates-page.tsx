import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useService } from '../../service/service.ts';
import { Page } from '../../ui/page.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import type { Edited } from './edited.ts';
import { EnvEditor } from './env-editor.tsx';
import { EnvList } from './env-list.tsx';
import { PlanEditor } from './plan-editor.tsx';
import { PlanList } from './plan-list.tsx';
import { envTemplatesQuery, plansQuery } from './template-queries.ts';

export function TemplatesPage() {
  const { projectId } = useParams({ strict: false });
  usePageTitle('Templates');
  return projectId ? <Templates projectId={projectId} key={projectId} /> : null;
}

function Templates({ projectId }: { readonly projectId: string }) {
  const [edited, setEdited] = useState<Edited | null>(null);
  const close = () => setEdited(null);
  const { client } = useService();
  const environments = useQuery(envTemplatesQuery(client, projectId));
  useQuery(plansQuery(client, projectId));
  if (edited?.kind === 'environment') {
    return <EnvEditor projectId={projectId} template={edited.template} onClose={close} />;
  }
  if (edited?.kind === 'plan') {
    const { plan, draft } = edited;
    return <PlanEditor projectId={projectId} plan={plan} initial={draft} onClose={close} />;
  }
  return (
    <Page>
      <PageHeader
        title="Templates"
        description="What agents are started with: keys and settings in environments, steps in plans."
      />
      <EnvList projectId={projectId} onEdit={setEdited} />
      {/* Shown before, the plans would jump by the height of the environments. */}
      {environments.isPending ? null : <PlanList projectId={projectId} onEdit={setEdited} />}
    </Page>
  );
}
