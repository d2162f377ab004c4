import type { TimelineItem } from '@session/client';
import { ChevronRight, Wrench } from 'lucide-react';
import { memo, type ReactNode, useId } from 'react';
import { Badge } from '../../../ui/badge.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { inWords } from '../../../ui/durations.ts';
import { eventSender, nameOf } from './message-facts.ts';
import { RowTime } from './row-time.tsx';
import { type ToolReport, toolStateText } from './tool-calls.ts';

interface ToolCallRowProps {
  readonly item: TimelineItem;
  readonly call: ToolReport;
  readonly isFirst: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

export function ToolCallRow({ item, call, isFirst, isOpen, onToggle }: ToolCallRowProps) {
  const id = useId();
  return (
    <div
      className={classNames(
        'grid gap-x-4 px-4 sm:grid-cols-[68px_minmax(0,1fr)] sm:px-6',
        isFirst ? 'pt-3' : 'pt-1',
      )}
    >
      <div className="hidden pt-0.5 sm:block">
        <RowTime timestamp={item.timestamp} />
      </div>
      <div className="grid min-w-0 max-w-180 justify-items-start gap-2">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={onToggle}
          className="-mx-1 flex min-h-6 max-w-full cursor-pointer items-start gap-2 rounded-control px-1 py-0.5 text-start text-control text-ink-2 transition-colors hover:bg-ink/6 hover:text-ink"
        >
          <Wrench aria-hidden size={14} className="mt-0.75 shrink-0 text-ink-3" />
          <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
            <span dir="auto" className="min-w-0 wrap-anywhere">
              <span className="font-medium">{eventSender(item) ?? nameOf(item)}</span> called{' '}
              <code className="font-mono text-label">{call.tool}</code>
            </span>
            <Outcome call={call} />
          </span>
          <ChevronRight
            aria-hidden
            size={14}
            className={classNames(
              'mt-0.75 shrink-0 text-ink-3 transition-transform',
              isOpen && 'rotate-90',
            )}
          />
        </button>
        {isOpen ? <Details id={id} sentence={item.content} call={call} /> : null}
      </div>
    </div>
  );
}

function Outcome({ call }: { readonly call: ToolReport }) {
  const hasFailed = call.state === 'failed' || call.state === 'timeout';
  return (
    <>
      <Badge tone={call.state === 'done' ? 'ok' : hasFailed ? 'warning' : 'plain'}>
        {toolStateText(call)}
      </Badge>
      {call.durationMs === null ? null : (
        <span className="text-ink-3 text-label tabular-nums">{inWords(call.durationMs)}</span>
      )}
    </>
  );
}

interface DetailsProps {
  readonly id: string;
  readonly sentence: string;
  readonly call: ToolReport;
}

const Details = memo(({ id, sentence, call }: DetailsProps) => (
  <dl
    id={id}
    className="grid w-full min-w-0 gap-3 rounded-card border border-line bg-sunken p-3 text-control"
  >
    {call.state === 'started' || call.state === 'done' ? null : (
      <Part name="Report">
        <p className="text-ink-2 wrap-anywhere">{sentence}</p>
      </Part>
    )}
    {call.arguments === undefined ? null : (
      <Part name="Arguments">
        <Code text={call.arguments} />
      </Part>
    )}
    <Part name={call.status === null ? 'Result' : `Result, status ${call.status}`}>
      {call.result === undefined ? (
        <p className="text-ink-2">{withoutResult(call)}</p>
      ) : (
        <Code text={call.result} />
      )}
      {call.isCut ? <p className="text-ink-3 text-label">The rest was not kept.</p> : null}
    </Part>
  </dl>
));
Details.displayName = 'Details';

function withoutResult(call: ToolReport): string {
  if (call.state === 'started') return 'No result so far.';
  return call.arguments === undefined ? 'Neither arguments nor result are recorded.' : 'No result.';
}

interface PartProps {
  readonly name: string;
  readonly children: ReactNode;
}

function Part({ name, children }: PartProps) {
  return (
    <div className="grid min-w-0 gap-1">
      <dt className="font-medium text-ink-3 text-label">{name}</dt>
      <dd className="grid min-w-0 gap-1">{children}</dd>
    </div>
  );
}

function Code({ text }: { readonly text: string }) {
  return (
    <pre
      dir="auto"
      className="min-w-0 font-mono text-ink text-label whitespace-pre-wrap wrap-anywhere"
    >
      {text}
    </pre>
  );
}
