import type { Conversation } from '@session/client';
import type { BrowserRoom } from '@session/client/browser';
import type { Session } from '@session/contract';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { isMissing, useService } from '../../service/service.ts';
import { classNames } from '../../ui/class-names.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { AgentPanel } from './panels/agent-panel.tsx';
import { PeoplePanel } from './panels/people-panel.tsx';
import { PlanPanel } from './panels/plan-panel.tsx';
import { RecordingPanel } from './panels/recording-panel.tsx';
import { stateQuery } from './session-queries.ts';
import type { PanelName } from './session-search.ts';

const PANELS: readonly (readonly [PanelName, string])[] = [
  ['agent', 'Agents'],
  ['plan', 'Plan'],
  ['recording', 'Recording'],
  ['people', 'People'],
];

interface PanelProps {
  readonly session: Session;
  readonly conversation: Conversation | undefined;
  readonly room: BrowserRoom;
}

export function SessionPanel({ session, conversation, room }: PanelProps) {
  const { client } = useService();
  const { panel: asked = 'agent' } = useSearch({ from: '/signed-in/sessions/$sessionId' });
  // An older API has no state of a session, and so no plans.
  const hasPlans = !isMissing(useQuery(stateQuery(client, session.id)).error);
  const panel = asked === 'plan' && !hasPlans ? 'agent' : asked;
  return (
    <div className="flex min-h-full flex-col">
      <PanelTabs sessionId={session.id} {...{ panel, hasPlans }} />
      {conversation && (
        <div className="p-4">
          <PanelContent {...{ panel, session, conversation, room }} />
        </div>
      )}
      <SessionFacts {...session} />
    </div>
  );
}

interface PanelContentProps extends PanelProps {
  readonly panel: PanelName;
  readonly conversation: Conversation;
}

function PanelContent({ panel, session, conversation, room }: PanelContentProps) {
  if (panel === 'plan') return <PlanPanel {...{ session, conversation, room }} />;
  if (panel === 'recording') return <RecordingPanel session={session} />;
  if (panel === 'people') return <PeoplePanel session={session} room={room} />;
  return <AgentPanel session={session} room={room} />;
}

interface PanelTabsProps {
  readonly sessionId: string;
  readonly panel: PanelName;
  readonly hasPlans: boolean;
}

function PanelTabs({ sessionId, panel, hasPlans }: PanelTabsProps) {
  const panels = PANELS.filter(([name]) => name !== 'plan' || hasPlans);
  return (
    <nav
      aria-label="Panels"
      className="flex border-line border-b ps-2 pe-11 pt-2.5 lg:gap-1 lg:px-3"
    >
      {panels.map(([name, label]) => (
        <Link
          key={name}
          to="/sessions/$sessionId"
          params={{ sessionId }}
          search={(before) => ({ ...before, panel: name })}
          replace
          aria-current={name === panel ? 'true' : undefined}
          className={classNames(
            '-mb-px flex h-9 items-center border-b-2 px-1.5 font-medium lg:px-2 text-control transition-colors',
            name === panel
              ? 'border-iris text-ink'
              : 'border-transparent text-ink-3 hover:text-ink',
          )}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}

/** What a product noted on the session. An older API has neither metadata nor an external id. */
function SessionFacts({ metadata, externalId }: Partial<Pick<Session, 'metadata' | 'externalId'>>) {
  const entries = Object.entries(metadata ?? {});
  if (!externalId && entries.length === 0) return null;
  return (
    <section aria-labelledby="facts" className="mt-auto grid gap-2 border-line border-t p-4">
      <h2 id="facts" className="font-strong text-control">
        Metadata
      </h2>
      <dl className="grid grid-cols-[fit-content(40%)_minmax(0,1fr)] gap-x-4 gap-y-1 text-control">
        {externalId ? (
          <>
            <dt className="text-ink-3">External id</dt>
            <dd className="flex items-start gap-1">
              <span dir="auto" className="min-w-0 wrap-anywhere">
                {externalId}
              </span>
              <CopyButton text={externalId} label="Copy the external id" />
            </dd>
          </>
        ) : null}
        {entries.map(([key, value]) => (
          <Entry key={key} name={key} value={value} />
        ))}
      </dl>
    </section>
  );
}

function Entry({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt dir="auto" className="text-ink-3 wrap-anywhere">
        {name}
      </dt>
      <dd dir="auto" className="whitespace-pre-wrap wrap-anywhere">
        {value}
      </dd>
    </>
  );
}
