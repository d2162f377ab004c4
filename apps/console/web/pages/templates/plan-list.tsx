import type { PlanTemplate } from '@session/contract';
import { useQuery } from '@tanstack/react-query';
import { Download, FileUp, Plus } from 'lucide-react';
import { useRole } from '../../service/me.ts';
import { isAtLeast } from '../../service/permissions.ts';
import { useService } from '../../service/service.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Time } from '../../ui/time.tsx';
import { downloadText } from '../agent/download-text.ts';
import type { Edited } from './edited.ts';
import { ImportButton } from './import-button.tsx';
import { planDraftOf } from './plan-draft.ts';
import { planFile, planFileName } from './plan-file.ts';
import { StepsDrawing } from './template-drawings.tsx';
import { plansQuery } from './template-queries.ts';
import { DeleteTemplate, TemplateSection } from './template-section.tsx';

interface PlanListProps {
  readonly projectId: string;
  readonly onEdit: (edited: Edited) => void;
}

export function PlanList({ projectId, onEdit }: PlanListProps) {
  const { client } = useService();
  const query = useQuery(plansQuery(client, projectId));
  const mayWrite = isAtLeast(useRole(projectId), 'ADMIN');
  const create = (
    <Button
      icon={<Plus aria-hidden size={16} />}
      onClick={() => onEdit({ kind: 'plan', id: null })}
    >
      New plan
    </Button>
  );
  const tools = (
    <ImportButton
      icon={<FileUp aria-hidden size={16} />}
      onImport={(imported) => onEdit({ kind: 'plan', id: null, imported })}
    />
  );
  const text = mayWrite
    ? 'A plan takes an agent through a conversation, step by step, and collects answers.'
    : 'An admin or owner of the project can make one.';
  return (
    <TemplateSection
      id="plans"
      title="Plans"
      query={query}
      create={mayWrite ? create : undefined}
      tools={mayWrite ? tools : undefined}
      empty={{ title: 'No plan yet.', text, drawing: <StepsDrawing /> }}
    >
      {query.data?.map((plan) => (
        <PlanRow key={plan.id} plan={plan} mayWrite={mayWrite} onEdit={onEdit} />
      ))}
    </TemplateSection>
  );
}

interface PlanRowProps {
  readonly plan: PlanTemplate;
  readonly mayWrite: boolean;
  readonly onEdit: (edited: Edited) => void;
}

function PlanRow({ plan, mayWrite, onEdit }: PlanRowProps) {
  const { id, name, description, steps, updatedAt } = plan;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="grid min-w-48 flex-1 gap-0.5">
        <span className="min-w-0 font-medium text-control wrap-anywhere">{name}</span>
        {description ? (
          <span className="line-clamp-2 text-control text-ink-2 wrap-anywhere">{description}</span>
        ) : null}
        <span className="line-clamp-2 text-ink-3 text-label wrap-anywhere">
          {steps.map(({ title }) => title).join(' → ')}
        </span>
        <span className="text-ink-3 text-label">
          Changed <Time at={updatedAt} />
        </span>
      </div>
      <div className="flex gap-1">
        <IconButton
          label={`Export ${name}`}
          onClick={() =>
            downloadText(planFileName(name), planFile(planDraftOf(plan)), 'application/json')
          }
        >
          <Download aria-hidden size={16} />
        </IconButton>
        {mayWrite ? (
          <>
            <Button size="small" onClick={() => onEdit({ kind: 'plan', id })}>
              Edit<span className="sr-only"> {name}</span>
            </Button>
            <DeletePlan plan={plan} />
          </>
        ) : null}
      </div>
    </li>
  );
}

function DeletePlan({ plan: { id, projectId, name } }: { readonly plan: PlanTemplate }) {
  const { client, queries } = useService();
  return (
    <DeleteTemplate
      name={name}
      description="Its steps are gone for good. Agents that run go on with theirs."
      onDelete={async () => {
        await client.planTemplates.delete(id);
        void queries.invalidateQueries({ queryKey: ['project', projectId, 'plan-templates'] });
      }}
    />
  );
}
