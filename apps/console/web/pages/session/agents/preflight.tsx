import type { AgentPreflight } from '@session/contract';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import { Button } from '../../../ui/button.tsx';
import { failureOf } from '../../../ui/failure.ts';
import { TextLink } from '../../../ui/text-link.tsx';

interface PreflightProps {
  readonly problems: AgentPreflight['problems'] | undefined;
  readonly error: Error | null;
  readonly isChecking: boolean;
  readonly projectId: string;
  readonly onCheck: () => void;
}

const TEMPLATE_CODES = new Set(['env_template_required', 'bad_configuration']);

export function Preflight({ problems, error, isChecking, projectId, onCheck }: PreflightProps) {
  return (
    <output aria-label="Check before the start" className="block min-h-6">
      {error ? (
        <p className="text-control text-ink-2">
          It could not be checked whether this agent would start: {failureOf(error).detail}
        </p>
      ) : null}
      {problems?.length === 0 ? (
        <p className="flex items-center gap-2 text-control text-ink-2">
          <CircleCheck aria-hidden size={16} className="shrink-0 text-ok" />
          Nothing prevents this agent from starting.
        </p>
      ) : null}
      {problems === undefined && !error && isChecking ? (
        <p className="animate-appear-late text-control text-ink-3">
          Checking whether it would start …
        </p>
      ) : null}
      {problems && problems.length > 0 ? (
        <Problems problems={problems} projectId={projectId} onCheck={onCheck} />
      ) : null}
    </output>
  );
}

interface ProblemsProps {
  readonly problems: AgentPreflight['problems'];
  readonly projectId: string;
  readonly onCheck: () => void;
}

function Problems({ problems, projectId, onCheck }: ProblemsProps) {
  const needsTemplate = problems.some(({ code }) => TEMPLATE_CODES.has(code));
  return (
    <div className="flex gap-3 rounded-card border border-gap/40 bg-gap-soft p-4 text-control">
      <TriangleAlert aria-hidden size={18} className="mt-px shrink-0 text-gap" />
      <div className="grid min-w-0 flex-1 gap-2">
        <p className="font-strong text-ink">This agent would not start.</p>
        <ul className="grid gap-1.5">
          {problems.map(({ code, detail }) => (
            <li key={`${code} ${detail}`} className="text-ink-2 wrap-anywhere">
              {detail || code}
            </li>
          ))}
        </ul>
        <div className="mt-1 flex flex-wrap items-center gap-x-4 gap-y-2">
          <Button size="small" onClick={onCheck}>
            Check again
          </Button>
          {needsTemplate ? (
            <TextLink to="/projects/$projectId/templates" params={{ projectId }}>
              Open the templates
            </TextLink>
          ) : null}
        </div>
      </div>
    </div>
  );
}
