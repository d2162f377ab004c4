import type { AgentTemplate } from '@session/client';
import { errorBelow, fieldError } from '../../../ui/failure.ts';
import { Select, TextArea, TextField } from '../../../ui/field.tsx';
import type { DraftProps } from './agent-fields.tsx';
import { DraftCard, DraftSection } from './draft-section.tsx';
import { METHODS, NEW_TOOL, parametersFault, type ToolDraft } from './tool-draft.ts';
import { ToolHeaders } from './tool-headers.tsx';
import { TryTool } from './try-tool.tsx';

const MAX_TOOLS = 16;

interface ToolsProps extends DraftProps {
  readonly stored: AgentTemplate | null;
}

export function Tools({ draft: { tools }, stored, onChange, error }: ToolsProps) {
  return (
    <DraftSection<Omit<ToolDraft, 'key'>>
      id="tools"
      title="Tools"
      description="Requests that the model may send to your own server, to look something up or to get something done."
      rows={tools}
      hasCards
      newRow={NEW_TOOL}
      maxRows={MAX_TOOLS}
      rowName="a tool"
      fault={fieldError(error, 'tools')}
      onChange={(changed) => onChange({ tools: changed })}
    >
      {(tool, index, edit) => (
        <ToolCard key={tool.key} {...{ tool, index, stored, error }} {...edit} />
      )}
    </DraftSection>
  );
}

interface ToolCardProps {
  readonly tool: ToolDraft;
  readonly index: number;
  readonly stored: AgentTemplate | null;
  readonly error: Error | null;
  readonly onChange: (change: Partial<ToolDraft>) => void;
  readonly onRemove: () => void;
}

function ToolCard(props: ToolCardProps) {
  const { tool, index, stored, error, onChange, onRemove } = props;
  const isStored = stored?.tools.some(({ name }) => name === tool.name);
  const path = `tools.${index}`;
  return (
    <DraftCard
      title={`Tool ${index + 1}`}
      removeLabel={`Remove tool ${index + 1}`}
      onRemove={onRemove}
    >
      <TextField
        label="Tool name"
        value={tool.name}
        onChange={({ target: { value } }) => onChange({ name: value.trim() })}
        required
        pattern="[a-z][a-z0-9_]{0,63}"
        title="1 to 64 characters of a-z, 0-9 and _; a letter first"
        placeholder="find_rooms"
        autoComplete="off"
        spellCheck={false}
        error={fieldError(error, `${path}.name`)}
      />
      <TextArea
        label="Description"
        hint="Tells the model what the tool does, and when to use it."
        value={tool.description}
        onChange={({ target: { value } }) => onChange({ description: value })}
        required
        maxLength={1024}
        rows={2}
        error={fieldError(error, `${path}.description`)}
      />
      <ToolRequest {...props} path={`${path}.request`} />
      <TextArea
        label="Parameters"
        hint="What the model fills in, as JSON Schema. The URL names some of them, such as {day}; the others go into the query (GET, DELETE) or the body."
        value={tool.parameters}
        onChange={({ target: { value } }) => onChange({ parameters: value })}
        rows={6}
        spellCheck={false}
        className="[&_textarea]:font-mono [&_textarea]:text-control"
        error={parametersFault(tool) ?? errorBelow(error, `${path}.parameters`)}
      />
      {stored && isStored ? <TryTool template={stored} name={tool.name} /> : null}
    </DraftCard>
  );
}

function ToolRequest({ tool, path, error, onChange }: ToolCardProps & { readonly path: string }) {
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-[120px_minmax(0,1fr)]">
        <Select
          label="Method"
          value={tool.method}
          onChange={({ target: { value } }) => {
            const method = METHODS.find((name) => name === value);
            if (method) onChange({ method });
          }}
          error={fieldError(error, `${path}.method`)}
        >
          {METHODS.map((method) => (
            <option key={method}>{method}</option>
          ))}
        </Select>
        <TextField
          label="URL"
          value={tool.url}
          onChange={({ target: { value } }) => onChange({ url: value })}
          required
          maxLength={2000}
          placeholder="https://api.example.com/rooms?day={day}"
          autoComplete="off"
          spellCheck={false}
          error={fieldError(error, `${path}.url`)}
        />
      </div>
      <ToolHeaders
        headers={tool.headers}
        fault={errorBelow(error, `${path}.headers`)}
        onChange={(headers) => onChange({ headers })}
      />
    </>
  );
}
