import { useQuery } from '@tanstack/react-query';
import { useService } from '../../service/service.ts';
import { Select } from '../../ui/field.tsx';
import { keysQuery } from '../keys/keys-query.ts';
import { membersQuery } from '../members/members-query.ts';
import type { AuditFilters } from './audit-filters.ts';
import { ACTION_NAMES, actionOf } from './audit-texts.ts';

interface AuditFilterProps {
  readonly projectId: string;
  readonly filters: AuditFilters;
  readonly onChange: (filters: AuditFilters) => void;
}

export function AuditFilter({ projectId, filters, onChange }: AuditFilterProps) {
  const { action, actor } = filters;
  return (
    <search aria-label="Audit" className="grid gap-3 sm:grid-cols-2">
      <Select
        label="Action"
        value={action ?? ''}
        onChange={({ target: { value } }) => {
          const chosen = actionOf(value);
          onChange({ ...(actor && { actor }), ...(chosen && { action: chosen }) });
        }}
      >
        <option value="">All actions</option>
        {Object.entries(ACTION_NAMES).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </Select>
      <ActorSelect
        projectId={projectId}
        actor={actor}
        onChange={(chosen) =>
          onChange({ ...(action && { action }), ...(chosen && { actor: chosen }) })
        }
      />
    </search>
  );
}

interface ActorSelectProps {
  readonly projectId: string;
  readonly actor: string | undefined;
  readonly onChange: (actor: string) => void;
}

function ActorSelect({ projectId, actor = '', onChange }: ActorSelectProps) {
  const { client } = useService();
  const members = useQuery(membersQuery(client, projectId)).data ?? [];
  const keys = useQuery(keysQuery(client, projectId)).data ?? [];
  const isKnown =
    actor === '' ||
    members.some(({ userId }) => userId === actor) ||
    keys.some(({ id }) => id === actor);
  return (
    <Select label="By" value={actor} onChange={({ target: { value } }) => onChange(value)}>
      <option value="">Everyone</option>
      {isKnown ? null : <option value={actor}>A former member or API key</option>}
      <optgroup label="Members">
        {members.map(({ userId, user }) => (
          <option key={userId} value={userId}>
            {user.name}
          </option>
        ))}
      </optgroup>
      {keys.length > 0 ? (
        <optgroup label="API keys">
          {keys.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </optgroup>
      ) : null}
    </Select>
  );
}
