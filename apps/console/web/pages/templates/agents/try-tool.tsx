import type { AgentTemplate, ToolTrial } from '@session/client';
import { useMutation } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { useService } from '../../../service/service.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { TextArea } from '../../../ui/field.tsx';
import { valuesFrom } from './trial-values.ts';

interface TryToolProps {
  readonly template: Pick<AgentTemplate, 'id' | 'variables'>;
  readonly name: string;
}

export function TryTool({ template: { id, variables }, name }: TryToolProps) {
  const { client } = useService();
  const [text, setText] = useState('{}');
  const [values, setValues] = useState(() => exampleOf(variables));
  const args = valuesFrom(text);
  const given = valuesFrom(values);
  const { mutate, isPending, data, error } = useMutation({
    mutationFn: async () =>
      await client.agentTemplates.tryTool(id, name, {
        arguments: args ?? {},
        variables: stringsOf(given),
      }),
  });
  return (
    <details className="rounded-control bg-sunken p-3 text-control">
      <summary className="cursor-pointer font-medium">Try {name}</summary>
      <div className="mt-3 grid gap-3">
        <p className="text-ink-2">
          Sends the request as it is saved, once, from the API, with the secrets of the project’s
          environment.
        </p>
        <TextArea
          label={`Arguments for ${name}`}
          value={text}
          onChange={({ target: { value } }) => setText(value)}
          rows={2}
          spellCheck={false}
          error={args ? undefined : 'A JSON object is needed, such as {"day": "2026-12-01"}.'}
        />
        {variables.length > 0 ? (
          <TextArea
            label={`Variables for ${name}`}
            value={values}
            onChange={({ target: { value } }) => setValues(value)}
            rows={2}
            spellCheck={false}
            error={given ? undefined : 'A JSON object is needed, such as {"guest": "Ada"}.'}
          />
        ) : null}
        <div>
          <Button
            size="small"
            icon={<Play aria-hidden size={14} />}
            disabled={isPending || !args || !given}
            onClick={() => mutate()}
          >
            Send
          </Button>
        </div>
        <div aria-live="polite">{data ? <Trial trial={data} /> : null}</div>
        <ErrorNotice error={error} />
      </div>
    </details>
  );
}

function Trial({ trial }: { readonly trial: ToolTrial }) {
  const { state, status, durationMs, result, truncated } = trial;
  const code = status === null ? '' : `, HTTP ${status}`;
  return (
    <div className="grid gap-1">
      <p className="font-medium">
        {state === 'done' ? 'Done' : 'Failed'}
        {code}, {durationMs} ms
      </p>
      <pre className="font-mono text-label whitespace-pre-wrap wrap-anywhere">
        {result}
        {truncated ? ' …' : ''}
      </pre>
    </div>
  );
}

function exampleOf(variables: AgentTemplate['variables']): string {
  const required = variables.filter((variable) => variable.required);
  return JSON.stringify(Object.fromEntries(required.map(({ name }) => [name, ''])));
}

function stringsOf(values: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}
