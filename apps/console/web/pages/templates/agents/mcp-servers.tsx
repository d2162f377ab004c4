import { errorBelow, fieldError } from '../../../ui/failure.ts';
import { TextArea, TextField } from '../../../ui/field.tsx';
import type { DraftProps } from './agent-fields.tsx';
import { DraftCard, DraftSection } from './draft-section.tsx';
import { type McpDraft, NEW_SERVER } from './mcp-draft.ts';
import { ToolHeaders } from './tool-headers.tsx';

const MAX_SERVERS = 4;

export function McpServers({ draft: { mcpServers: servers }, onChange, error }: DraftProps) {
  return (
    <DraftSection<Omit<McpDraft, 'key'>>
      id="mcp-servers"
      title="MCP servers"
      description="Servers of the Model Context Protocol, and which of their tools the model may call."
      rows={servers}
      hasCards
      newRow={NEW_SERVER}
      maxRows={MAX_SERVERS}
      rowName="an MCP server"
      fault={fieldError(error, 'mcpServers')}
      onChange={(mcpServers) => onChange({ mcpServers })}
    >
      {(server, index, edit) => (
        <ServerCard key={server.key} {...{ server, index, error }} {...edit} />
      )}
    </DraftSection>
  );
}

interface ServerCardProps {
  readonly server: McpDraft;
  readonly index: number;
  readonly error: Error | null;
  readonly onChange: (change: Partial<McpDraft>) => void;
  readonly onRemove: () => void;
}

function ServerCard({ server, index, error, onChange, onRemove }: ServerCardProps) {
  const path = `mcpServers.${index}`;
  return (
    <DraftCard
      title={`MCP server ${index + 1}`}
      removeLabel={`Remove MCP server ${index + 1}`}
      onRemove={onRemove}
    >
      <TextField
        label="Server name"
        hint="The model calls a tool by this name, two underscores and the name of the tool."
        value={server.name}
        onChange={({ target: { value } }) => onChange({ name: value.trim() })}
        required
        pattern="[a-z]([a-z0-9_]{0,30}[a-z0-9])?"
        title="1 to 32 characters of a-z, 0-9 and _; a letter first, no _ last"
        placeholder="crm"
        autoComplete="off"
        spellCheck={false}
        error={fieldError(error, `${path}.name`)}
      />
      <TextField
        label="Server URL"
        value={server.url}
        onChange={({ target: { value } }) => onChange({ url: value })}
        required
        maxLength={2000}
        placeholder="https://crm.example.com/mcp"
        autoComplete="off"
        spellCheck={false}
        error={fieldError(error, `${path}.url`)}
      />
      <ToolHeaders
        headers={server.headers}
        fault={errorBelow(error, `${path}.headers`)}
        onChange={(headers) => onChange({ headers })}
      />
      <TextArea
        label="Allowed tools"
        hint="One per line, as the server names them. A tool with its digest after the name is switched off when the server changes it."
        value={server.tools}
        onChange={({ target: { value } }) => onChange({ tools: value })}
        required
        rows={3}
        spellCheck={false}
        className="[&_textarea]:font-mono [&_textarea]:text-control"
        error={errorBelow(error, `${path}.tools`)}
      />
    </DraftCard>
  );
}
