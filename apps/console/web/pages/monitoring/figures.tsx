import type { Statistics } from '@session/contract';
import type { ReactNode } from 'react';
import { Time } from '../../ui/time.tsx';

export function Figures({ statistics }: { readonly statistics: Statistics }) {
  const { sessions, messages, agents } = statistics;
  const { active, ...byStatus } = sessions;
  const others = Object.entries(byStatus).filter(([, count]) => count > 0);
  return (
    <section aria-label="Figures">
      <dl className="grid gap-px overflow-hidden rounded-card border border-line bg-line sm:grid-cols-3">
        <Figure name="Active sessions" value={active}>
          {others.map(([status, count]) => `${format(count)} ${status}`).join(', ') ||
            'none is open now'}
        </Figure>
        <Figure name="Messages" value={messages.total}>
          {format(messages.lastMinute)} in the last minute
          {messages.lastMessageAt ? (
            <>
              , the last one <Time at={messages.lastMessageAt} />
            </>
          ) : null}
        </Figure>
        <Figure name="Running agents" value={agents.running}>
          {agents.starting > 0
            ? `${format(agents.starting)} more are starting`
            : 'none is starting'}
        </Figure>
      </dl>
    </section>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: number;
  readonly children: ReactNode;
}

function Figure({ name, value, children }: FigureProps) {
  return (
    <div className="grid content-start gap-0.5 bg-surface px-4 py-3">
      <dt className="text-control text-ink-2">{name}</dt>
      <dd className="font-strong text-head tabular-nums">{format(value)}</dd>
      <dd className="text-ink-3 text-label">{children}</dd>
    </div>
  );
}

function format(count: number): string {
  return count.toLocaleString('en');
}
