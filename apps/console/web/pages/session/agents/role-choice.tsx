import type { AgentType } from '@session/contract';
import { useId } from 'react';
import { Badge } from '../../../ui/badge.tsx';
import { CodeText } from '../../templates/code-text.tsx';

interface RoleChoiceProps {
  readonly types: readonly AgentType[];
  readonly role: string;
  readonly onChoose: (role: string) => void;
}

export function RoleChoice({ types, role, onChoose }: RoleChoiceProps) {
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 font-medium text-control text-ink-2">Agent</legend>
      {types.map((type) => (
        <Role
          key={type.role}
          type={type}
          isChosen={type.role === role}
          onChoose={() => onChoose(type.role)}
        />
      ))}
    </fieldset>
  );
}

interface RoleProps {
  readonly type: AgentType;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function Role({ type, isChosen, onChoose }: RoleProps) {
  const id = useId();
  const { role, title, description, available, requiredVariables } = type;
  return (
    <div className="relative flex items-start gap-3 rounded-control border border-line p-3 transition-colors hover:border-ink-3 has-checked:border-iris has-checked:bg-iris-soft has-focus-visible:outline-2 has-focus-visible:outline-iris has-focus-visible:outline-offset-2">
      <input
        id={id}
        type="radio"
        aria-describedby={`${id}-about`}
        name="role"
        value={role}
        checked={isChosen}
        onChange={onChoose}
        className="relative z-1 mt-0.5 size-4 shrink-0 cursor-pointer accent-iris outline-none"
      />
      <span className="grid min-w-0 gap-0.5">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          {/* The label covers the whole card, so a click anywhere chooses the role. */}
          <label
            htmlFor={id}
            className="cursor-pointer font-strong text-control text-ink wrap-anywhere after:absolute after:inset-0 after:content-['']"
          >
            {title || role}
          </label>
          {available ? null : <Badge tone="warning">Not installed here</Badge>}
          {requiredVariables.length === 0 ? <Badge>No keys needed</Badge> : null}
        </span>
        <span id={`${id}-about`} className="text-control text-ink-2 wrap-anywhere">
          <CodeText text={description} />
        </span>
      </span>
    </div>
  );
}
