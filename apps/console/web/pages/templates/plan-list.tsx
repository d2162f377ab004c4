import type { PlanTemplate } from '@session/contract';
import { useQuery } from '@tanstack/react-query';
import { Download, FileUp } from 'lucide-react';
import { useRole } from '../../service/me.ts';
import { isAtLeast } from '../../service/permissions.ts';
import { useService } from '../../service/service.ts';
import { IconButton } from '../../ui/button.tsx';
import { downloadText } from '../../ui/download-text.ts';
import type { Edited } from './edited.ts';
import { ImportButton } from './import-button.tsx';
import { planDraftOf } from './plan-draft.ts';
import { planFile, planFileName } from './plan-file.ts';
import { StepsDrawing } from './template-drawings.tsx';
import { plansQuery } from './template-queries.ts';
import { TemplateRow, TemplateSection } from './template-section.tsx';

interface PlanListProps {
  readonly projectId: string;
  readonly onEdit: (edited: Edited) => void;
}

export function PlanList({ projectId, onEdit }: PlanListProps) {
  const { client } = useService();
  const query = useQuery(plansQuery(client, projectId));
  const mayWrite = isAtLeast(useRole(projectId), 'ADMIN');
  const tools = (
    <ImportButton
      icon={<FileUp aria-hidden size={16} />}
      onImport={(imported) => onEdit({ kind: 'plan', id: null, imported })}
    />
  );
  return (
    <TemplateSection
      id="plans"
      title="Plans"
      query={query}
      mayWrite={mayWrite}
      newLabel="New plan"
      onNew={() => onEdit({ kind: 'plan', id: null })}
      tools={tools}
      empty={{
        title: 'No plan yet.',
        text: 'A plan takes an agent through a conversation, step by step, and collects answers.',
        drawing: <StepsDrawing />,
      }}
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
  const { id, name, description, steps } = plan;
  const download = () =>
    downloadText(planFileName(name), [planFile(planDraftOf(plan))], 'application/json');
  return (
    <TemplateRow
      kind="plan"
      template={plan}
      mayWrite={mayWrite}
      onEdit={() => onEdit({ kind: 'plan', id })}
      deletion="Its steps are gone for good. Agents that run go on with theirs."
      tools={
        <IconButton label={`Export ${name}`} onClick={download}>
          <Download aria-hidden size={16} />
        </IconButton>
      }
    >
      {description ? (
        <span className="line-clamp-2 text-control text-ink-2 wrap-anywhere">{description}</span>
      ) : null}
      <span className="line-clamp-2 text-ink-3 text-label wrap-anywhere">
        {steps.map(({ title }) => title).join(' → ')}
      </span>
    </TemplateRow>
  );
}
