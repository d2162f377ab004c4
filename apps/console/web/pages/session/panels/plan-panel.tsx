import type { Conversation, FoldedState } from '@session/client';
import type { BrowserRoom } from '@session/client/browser';
import { isBehind, stateAfter, useTimeline } from '@session/client/react';
import type { Session } from '@session/contract';
import { useQuery } from '@tanstack/react-query';
import { Check, Circle, CircleDot } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useService } from '../../../service/service.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { Time } from '../../../ui/time.tsx';
import { plansQuery } from '../../templates/template-queries.ts';
import { StartAgentDialog } from '../agents/start-agent-dialog.tsx';
import { stateQuery } from '../session-queries.ts';
import { EmptyPanel, PLAN_DRAWING } from './empty-panel.tsx';

type LivePlan = FoldedState['plans'][number];

interface PlanPanelProps {
  readonly session: Session;
  readonly conversation: Conversation;
  readonly room: BrowserRoom;
}

export function PlanPanel({ session, conversation, room }: PlanPanelProps) {
  const { client } = useService();
  const query = useQuery(stateQuery(client, session.id));
  const { data, refetch } = query;
  const { items } = useTimeline(conversation);
  const [isStarting, setStarting] = useState(false);
  const isOld = data !== undefined && isBehind(data, items);
  useEffect(() => {
    if (isOld) void refetch();
  }, [isOld, refetch]);
  return (
    <section aria-labelledby="plan" className="grid gap-4">
      <h2 id="plan" className="font-strong text-body">
        Plan
      </h2>
      <Loaded query={query} label="Plan" skeleton={<Skeletons />}>
        {(state) => {
          const { plans } = stateAfter(state, items);
          if (plans.length === 0) {
            return <NoPlan session={session} onStart={() => setStarting(true)} />;
          }
          return plans.toReversed().map((plan) => <PlanView key={plan.id} plan={plan} />);
        }}
      </Loaded>
      <StartAgentDialog
        isOpen={isStarting}
        onClose={() => setStarting(false)}
        isForPlan
        {...{ session, room }}
      />
    </section>
  );
}

interface NoPlanProps {
  readonly session: Session;
  readonly onStart: () => void;
}

function NoPlan({ session: { projectId, status }, onStart }: NoPlanProps) {
  const { client } = useService();
  const { data: templates } = useQuery(plansQuery(client, projectId));
  if (status !== 'ACTIVE') {
    return <EmptyPanel title="No agent followed a plan here." drawing={PLAN_DRAWING} />;
  }
  const makePlan = (
    <ButtonLink to="/projects/$projectId/templates" params={{ projectId }} size="small">
      Make a plan
    </ButtonLink>
  );
  const start = (
    <Button size="small" onClick={onStart}>
      Start an agent with a plan
    </Button>
  );
  return (
    <EmptyPanel
      title="No agent follows a plan here."
      drawing={PLAN_DRAWING}
      action={templates && (templates.length === 0 ? makePlan : start)}
    >
      A plan is a list of steps, and of what to find out. Each is ticked here as the agent gets
      there.
    </EmptyPanel>
  );
}

function PlanView({ plan: { name, steps, deliverables } }: { readonly plan: LivePlan }) {
  const done = steps.filter(({ state }) => state === 'done').length;
  return (
    <article aria-label={name} className="grid gap-3">
      <div className="flex items-baseline justify-between gap-3">
        <h3 className="min-w-0 font-strong text-control wrap-anywhere">{name}</h3>
        <span className="shrink-0 text-ink-3 text-label tabular-nums">
          {done} of {steps.length} done
        </span>
      </div>
      <ol className="grid gap-1.5">
        {steps.map((step) => (
          <Step key={step.id} step={step} />
        ))}
      </ol>
      {deliverables.length > 0 ? (
        <div className="grid gap-2 border-line border-t pt-3">
          <h4 className="font-strong text-control">Deliverables</h4>
          <dl className="grid gap-2">
            {deliverables.map((deliverable) => (
              <Deliverable key={deliverable.id} deliverable={deliverable} />
            ))}
          </dl>
        </div>
      ) : null}
    </article>
  );
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ['done', 'Done'],
  ['active', 'Now'],
  ['pending', 'To do'],
]);

function Step({ step: { title, state } }: { readonly step: LivePlan['steps'][number] }) {
  return (
    <li
      aria-current={state === 'active' ? 'step' : undefined}
      className={`flex items-start gap-2 text-control ${state === 'pending' ? 'text-ink-2' : 'text-ink'} ${state === 'active' ? 'font-medium' : ''}`}
    >
      <StepMark state={state} />
      <span className="min-w-0 wrap-anywhere">{title}</span>
      <span className="sr-only">({WORDS.get(state) ?? state})</span>
    </li>
  );
}

function StepMark({ state }: { readonly state: string }) {
  const common = 'mt-0.5 shrink-0';
  if (state === 'done') return <Check aria-hidden size={16} className={`${common} text-ok`} />;
  if (state === 'active') {
    return <CircleDot aria-hidden size={16} className={`${common} text-iris`} />;
  }
  return <Circle aria-hidden size={16} className={`${common} text-ink-3`} />;
}

function Deliverable({
  deliverable: { title, value, version, at },
}: {
  readonly deliverable: LivePlan['deliverables'][number];
}) {
  return (
    <div className="grid gap-0.5 rounded-control bg-sunken px-2.5 py-1.5">
      <dt className="flex justify-between gap-3 text-ink-3 text-label">
        <span className="min-w-0 wrap-anywhere">{title}</span>
        <span className="shrink-0">
          {version > 1 ? `changed ${version - 1}× · ` : ''}
          <Time at={at} />
        </span>
      </dt>
      <dd className="text-control text-ink whitespace-pre-wrap wrap-anywhere">{String(value)}</dd>
    </div>
  );
}

function Skeletons() {
  return (
    <div className="grid gap-3">
      <Skeleton className="h-4 w-40" />
      <Skeleton className="h-4 w-full" />
      <Skeleton className="h-4 w-3/4" />
    </div>
  );
}
