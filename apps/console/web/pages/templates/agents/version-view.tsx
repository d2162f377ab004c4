import type { AgentTemplateVersion } from '@session/client';

const NAMES: ReadonlyMap<string, string> = new Map([
  ['name', 'Name'],
  ['role', 'Role'],
  ['instructions', 'Instructions'],
  ['greeting', 'Greeting'],
  ['language', 'Language'],
  ['timeZone', 'Time zone'],
  ['model', 'Model'],
  ['limits', 'Limits'],
  ['failureMessage', 'Failure message'],
  ['variables', 'Variables'],
  ['plan', 'Plan'],
  ['tools', 'Tools'],
  ['mcpServers', 'MCP servers'],
  ['endConversation', 'End of the conversation'],
  ['answers', 'What it answers beside other agents'],
  ['handover', 'Handing over'],
]);

/** Shows an unknown field of a newer API by its name. */
export function VersionView({ version }: { readonly version: AgentTemplateVersion }) {
  const { version: _number, createdBy: _creator, createdAt: _moment, ...fields } = version;
  const said = Object.entries(fields).filter(([, value]) => !isEmpty(value));
  return (
    <dl className="grid gap-3 rounded-control bg-sunken p-3 text-control">
      {said.map(([name, value]) => (
        <div key={name} className="grid min-w-0 gap-0.5">
          <dt className="text-ink-3 text-label">{NAMES.get(name) ?? name}</dt>
          <dd className="min-w-0">
            {typeof value === 'string' ? (
              <span className="whitespace-pre-wrap wrap-anywhere">{value}</span>
            ) : (
              <pre className="font-mono text-label whitespace-pre-wrap wrap-anywhere">
                {JSON.stringify(value, null, 2)}
              </pre>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}
