import type { AgentTemplate } from '@session/client';
import { useQuery } from '@tanstack/react-query';
import { useService } from '../../../service/service.ts';
import { Select, TextField } from '../../../ui/field.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { agentTemplateQuery, agentTemplatesQuery } from '../../templates/template-queries.ts';

interface TemplateChoiceProps {
  readonly projectId: string;
  readonly chosen: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
}

export function TemplateChoice({ projectId, chosen, onChoose }: TemplateChoiceProps) {
  const { client } = useService();
  const { data: templates = [] } = useQuery(agentTemplatesQuery(client, projectId));
  if (templates.length === 0) return null;
  return (
    <Select
      label="Agent template"
      value={chosen ?? ''}
      onChange={({ target: { value } }) => onChoose(value || undefined)}
    >
      <option value="">None: choose an agent below</option>
      {templates.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  );
}

interface TemplateVariablesProps {
  readonly templateId: string;
  readonly values: Readonly<Record<string, string>>;
  readonly onChange: (values: Readonly<Record<string, string>>) => void;
}

export function TemplateVariables({ templateId, values, onChange }: TemplateVariablesProps) {
  const { client } = useService();
  const query = useQuery(agentTemplateQuery(client, templateId));
  return (
    <Loaded query={query} label="Variables" skeleton={<Skeleton className="h-9 w-full" />} isQuiet>
      {({ variables }) =>
        variables.length === 0 ? null : (
          <fieldset className="grid gap-4 sm:grid-cols-2">
            <legend className="mb-3 font-medium text-control text-ink-2">Variables</legend>
            {variables.map((variable) => (
              <VariableField
                key={variable.name}
                variable={variable}
                value={values[variable.name] ?? ''}
                onChange={(value) => onChange({ ...values, [variable.name]: value })}
              />
            ))}
          </fieldset>
        )
      }
    </Loaded>
  );
}

interface VariableFieldProps {
  readonly variable: AgentTemplate['variables'][number];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const MAX_LENGTH = 500;

function VariableField({ variable, value, onChange }: VariableFieldProps) {
  const { name, required, maxLength = MAX_LENGTH, default: standard } = variable;
  return (
    <TextField
      label={required ? name : `${name} (optional)`}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      required={required}
      maxLength={maxLength}
      placeholder={standard}
      autoComplete="off"
    />
  );
}
