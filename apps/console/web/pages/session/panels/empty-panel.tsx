import type { ReactNode } from 'react';

interface EmptyPanelProps {
  readonly title: string;
  readonly drawing: ReactNode;
  readonly action?: ReactNode;
  readonly children?: ReactNode;
}

export function EmptyPanel({ title, drawing, action, children }: EmptyPanelProps) {
  return (
    <div className="grid justify-items-start gap-4 rounded-card border border-line bg-surface p-4">
      <svg aria-hidden="true" viewBox="0 0 160 56" className="h-14 w-40 text-line">
        {drawing}
      </svg>
      <div className="grid gap-1 text-control">
        <p className="font-strong text-ink">{title}</p>
        {children ? <p className="text-ink-2">{children}</p> : null}
      </div>
      {action}
    </div>
  );
}

const STEPS = [
  [0, 22],
  [18, 58],
  [72, 88],
] as const;

export const STEPS_DRAWING = STEPS.map(([x, width], index) => (
  <g key={x}>
    <rect x="0" y={8 + index * 18} width="160" height="2" fill="currentColor" />
    <rect x={x} y={5 + index * 18} width={width} height="8" rx="2" className="fill-iris/60" />
  </g>
));

const LINES = [96, 128, 72] as const;

export const PLAN_DRAWING = LINES.map((width, index) => (
  <g key={width}>
    <circle
      cx="8"
      cy={9 + index * 19}
      r="6"
      strokeWidth="2"
      className={index === 0 ? 'fill-iris/60' : 'fill-none stroke-line'}
    />
    <rect x="26" y={6 + index * 19} width={width} height="6" rx="3" fill="currentColor" />
  </g>
));

export const PEOPLE_DRAWING = [28, 76].map((x, index) => (
  <g key={x}>
    <circle cx={x} cy="17" r="10" className={index === 0 ? 'fill-ink-3/40' : 'fill-iris/60'} />
    <path d={`M${x - 20} 50a20 17 0 0 1 40 0z`} fill="currentColor" />
  </g>
));
