import type { EnvTemplateChange } from '@session/contract';
import type { EnvTemplateRow } from '@session/db';
import { AppError } from '@session/kit';

/**
 * Returns the hosts after a change. Throws `invalid_request` for a new host without the variable's value, because
 * whoever cannot read a value must not send it elsewhere.
 */
export function changedHosts(
  template: Pick<EnvTemplateRow, 'hosts'>,
  change: Pick<EnvTemplateChange, 'hosts' | 'variables'>,
  variables: Readonly<Record<string, string>>,
): Record<string, readonly string[]> {
  const former = new Map(Object.entries(template.hosts));
  const changed = new Map(former);
  for (const [name, hosts] of Object.entries(change.hosts ?? {})) {
    const isGiven = typeof change.variables?.[name] === 'string';
    const known = former.get(name) ?? [];
    if (hosts && !isGiven && hosts.some((host) => !known.includes(host))) throw valueNeeded(name);
    if (hosts) changed.set(name, hosts);
    else changed.delete(name);
  }
  return Object.fromEntries([...changed].filter(([name]) => Object.hasOwn(variables, name)));
}

function valueNeeded(name: string): AppError {
  const detail = `Send the value of ${name} together with its new hosts: hosts alone can only be removed.`;
  return new AppError('invalid_request', 'new hosts came without the value', { detail });
}
