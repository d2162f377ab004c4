import type { EnvTemplateChange } from '@session/contract';
import { KEY_WORDS, secretOrigins } from '@session/conversation/settings';
import { AppError } from '@session/kit';

type Values = Readonly<Record<string, string>>;

/**
 * Throws `invalid_request` for a change after which an agent would send a stored secret to another origin: whoever
 * cannot read a value must not send it elsewhere.
 */
export function assertNotRedirected(
  former: Values,
  change: Pick<EnvTemplateChange, 'variables'>,
  variables: Values,
): void {
  const origins = secretOrigins(variables);
  const redirected = [...secretOrigins(former)].filter(([name, origin]) => {
    const isGiven = typeof change.variables?.[name] === 'string';
    const value = variables[name] ?? '';
    const isStoredSecret = !isGiven && value !== '' && !KEY_WORDS.includes(value);
    return isStoredSecret && origins.get(name) !== origin;
  });
  if (redirected.length > 0) throw valuesNeeded(redirected.map(([name]) => name));
}

function valuesNeeded(names: readonly string[]): AppError {
  const detail = `Send the value of ${names.join(', ')} in the same request: the change would send the stored value to another protocol, host or port.`;
  return new AppError('invalid_request', 'a new address came without the key', { detail });
}
