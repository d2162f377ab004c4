import { Link } from '@tanstack/react-router';
import { classNames } from '../../ui/class-names.ts';
import type { PanelName } from './session-search.ts';

const PANELS: readonly (readonly [PanelName, string])[] = [
  ['agent', 'Agents'],
  ['plan', 'Plan'],
  ['recording', 'Recording'],
  ['people', 'People'],
];

interface PanelTabsProps {
  readonly sessionId: string;
  readonly panel: PanelName;
  readonly hasPlans: boolean;
}

export function PanelTabs({ sessionId, panel, hasPlans }: PanelTabsProps) {
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
