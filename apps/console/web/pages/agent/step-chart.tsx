import type { AgentTimeline } from '@session/contract';
import { stopwatchText } from '../../ui/durations.ts';
import { useNow } from '../../ui/use-now.ts';
import { type StepRow, stepRows } from './agent-steps.ts';

interface StepChartProps {
  readonly steps: AgentTimeline['items'];
  readonly isLive: boolean;
  readonly isWide?: boolean;
}

export function StepChart({ steps, isLive, isWide = false }: StepChartProps) {
  const rows = stepRows(steps);
  return (
    <ol aria-label="Steps since the request" className="grid gap-0.5">
      {rows.map((row, index) => (
        <Step
          key={row.key}
          row={row}
          isFirst={index === 0}
          isWide={isWide}
          hasNotes={isWide || rows.some(({ isSlow }) => isSlow)}
        />
      ))}
      {isLive && steps[0] ? <Waiting since={steps[0].at} /> : null}
    </ol>
  );
}

interface StepProps {
  readonly row: StepRow;
  readonly isFirst: boolean;
  readonly isWide: boolean;
  readonly hasNotes: boolean;
}

function Step({ row, isFirst, isWide, hasNotes }: StepProps) {
  const { label, at, sinceMs, tookMs, isSlow, detail } = row;
  const took = tookMs === null || isFirst ? null : `${stopwatchText(tookMs)} after the step before`;
  return (
    <li className="grid grid-cols-[88px_minmax(0,1fr)_56px] items-center gap-x-2 text-control">
      <span className={`truncate ${isSlow ? 'font-medium text-gap' : 'text-ink-2'}`} title={label}>
        {label}
      </span>
      <span className="flex min-w-0 items-center gap-2" title={took ?? undefined}>
        <Bar row={row} isFirst={isFirst} />
        {hasNotes ? <StepNote row={row} isFirst={isFirst} isWide={isWide} /> : null}
        {took ? <span className="sr-only">{took}</span> : null}
      </span>
      <time dateTime={at} title={at} className="text-right font-mono text-ink-2 text-label">
        {stopwatchText(sinceMs)}
      </time>
      {detail ? (
        <span className="col-span-2 col-start-2 text-ink-3 text-label wrap-anywhere">{detail}</span>
      ) : null}
    </li>
  );
}

function StepNote({ row: { isSlow, tookMs }, isFirst, isWide }: Omit<StepProps, 'hasNotes'>) {
  const width = isWide ? 'w-8 sm:w-18' : 'w-8';
  const tone = isSlow ? 'font-medium text-gap' : 'font-mono text-ink-3';
  return (
    <span className={`shrink-0 text-right text-label ${width} ${tone}`}>
      {isSlow ? 'slow' : ''}
      {isWide && !isFirst && tookMs !== null ? (
        <span className="hidden sm:inline">
          {isSlow ? ' ' : ''}+{stopwatchText(tookMs)}
        </span>
      ) : null}
    </span>
  );
}

function Bar({ row: { from, to, isSlow }, isFirst }: Pick<StepProps, 'row' | 'isFirst'>) {
  const tone = isSlow ? 'fill-gap' : isFirst ? 'fill-ink-3' : 'fill-iris';
  const width = Math.max(0.6, (to - from) * 100);
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 100 8"
      preserveAspectRatio="none"
      className="h-2 min-w-0 flex-1"
    >
      <rect x="0" y="3.5" width="100" height="1" className="fill-line" />
      <rect x={Math.min(from * 100, 99.4)} y="1" width={width} height="6" className={tone} />
    </svg>
  );
}

function Waiting({ since }: { readonly since: string }) {
  const now = useNow('second');
  return (
    <li className="grid grid-cols-[88px_minmax(0,1fr)_56px] items-center gap-x-2 text-control text-ink-3">
      <span>Waiting</span>
      <span className="h-px animate-breathe bg-iris" />
      <span className="text-right font-mono text-label">
        {stopwatchText(Math.max(0, now - Date.parse(since)))}
      </span>
    </li>
  );
}
