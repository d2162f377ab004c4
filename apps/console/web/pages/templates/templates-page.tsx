import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useService } from '../../service/service.ts';
import { Page } from '../../ui/page.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { AgentEditor } from './agents/agent-editor.tsx';
import { AgentList } from './agents/agent-list.tsx';
import type { Edited } from './edited.ts';
import { EnvEditor } from './env-editor.tsx';
import { EnvList } from './env-list.tsx';
import { PlanEditor } from './plan-editor.tsx';
import { PlanList } from './plan-list.tsx';
import { agentTemplatesQuery, envTemplatesQuery, plansQuery } from './template-queries.ts';

export function TemplatesPage() {
  const { projectId } = useParams({ from: '/signed-in/projects/$projectId/templates' });
  const [edited, setEdited] = useState<Edited | null>(null);
  const close = () => setEdited(null);
  const { client } = useService();
  const environments = useQuery(envTemplatesQuery(client, projectId));
  const agents = useQuery(agentTemplatesQuery(client, projectId));
  useQuery(plansQuery(client, projectId));
  if (edited?.kind === 'agent') {
    return <AgentEditor projectId={projectId} id={edited.id} onClose={close} />;
  }
  if (edited?.kind === 'environment') {
    return <EnvEditor projectId={projectId} id={edited.id} onClose={close} />;
  }
  if (edited?.kind === 'plan') {
    return <PlanEditor projectId={projectId} {...edited} onClose={close} />;
  }
  return (
    <Page>
      <PageHeader
        title="Templates"
        description="What agents are started with: who they are, keys in environments, steps in plans."
      />
      <AgentList projectId={projectId} onEdit={setEdited} />
      {/* A section shown earlier would jump when the section above it appears. */}
      {agents.isPending ? null : <EnvList projectId={projectId} onEdit={setEdited} />}
      {agents.isPending || environments.isPending ? null : (
        <PlanList projectId={projectId} onEdit={setEdited} />
      )}
    </Page>
  );
}
