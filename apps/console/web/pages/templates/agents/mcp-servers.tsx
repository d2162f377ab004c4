import { Plus, Trash2 } from 'lucide-react';
import { Button, IconButton } from '../../../ui/button.tsx';
import { errorBelow, fieldError } from '../../../ui/failure.ts';
import { TextArea, TextField } from '../../../ui/field.tsx';
import { withChanged, withNew, without } from './agent-draft.ts';
import type { DraftProps } from './agent-fields.tsx';
import { type McpDraft, NEW_SERVER } from './mcp-draft.ts';
import { ToolHeaders } from './tool-headers.tsx';

const MAX_SERVERS = 4;

export function McpServers({ draft: { mcpServers: servers }, onChange, error }: DraftProps) {
  return (
    <section aria-labelledby="mcp-servers" className="grid gap-3">
      <div className="grid gap-1">
        <h2 id="mcp-servers" className="font-strong text-body">
          MCP servers
        </h2>
        <p className="text-control text-ink-2">
          Servers of the Model Context Protocol, and which of their tools the model may call.
        </p>
      </div>
      {servers.length > 0 ? (
        <ol className="grid gap-3">
          {servers.map((server, index) => (
            <ServerCard
              key={server.key}
              server={server}
              index={index}
              error={error}
              onChange={(change) =>
                onChange({ mcpServers: withChanged(servers, server.key, change) })
              }
              onRemove={() => onChange({ mcpServers: without(servers, server.key) })}
            />
          ))}
        </ol>
      ) : null}
      <p className="font-medium text-gap text-label empty:hidden">
        {fieldError(error, 'mcpServers')}
      </p>
      <div>
        <Button
          size="small"
          icon={<Plus aria-hidden size={14} />}
          disabled={servers.length >= MAX_SERVERS}
          onClick={() =>
            onChange({ mcpServers: withNew<Omit<McpDraft, 'key'>>(servers, NEW_SERVER) })
          }
        >
          Add an MCP server
        </Button>
      </div>
    </section>
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
    <li className="grid gap-3 rounded-card border border-line bg-surface p-4">
      <div className="flex items-center gap-1">
        <h3 className="flex-1 font-strong text-control">MCP server {index + 1}</h3>
        <IconButton label={`Remove MCP server ${index + 1}`} onClick={onRemove}>
          <Trash2 aria-hidden size={16} />
        </IconButton>
      </div>
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
    </li>
  );
}
