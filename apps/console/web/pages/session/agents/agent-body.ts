import type { AgentTemplate } from '@session/client';
import type { NewAgent } from '@session/contract';

export const EXTERNAL_ROLE = 'external';

/** Returns the settings for another role. What to echo is a setting of the echo agent alone, so it is dropped. */
export function withRole({ planId, envTemplateId, config }: NewAgent, role: string): NewAgent {
  if (role === EXTERNAL_ROLE) return { planId, role };
  return { planId, envTemplateId, role, ...restartOf(config) };
}

export function withTemplate({ envTemplateId, config }: NewAgent, id: string): NewAgent {
  return { envTemplateId, agentTemplateId: id, ...restartOf(config) };
}

/**
 * Returns the settings for an agent of a template. The agent runs here, or elsewhere as an external agent, which has its own
 * keys.
 */
export function withPlace(body: NewAgent, isElsewhere: boolean): NewAgent {
  const { role: _role, envTemplateId: _env, config: _config, ...template } = body;
  return isElsewhere ? { ...template, role: EXTERNAL_ROLE } : template;
}

export function withVariables(body: NewAgent, values: Readonly<Record<string, string>>): NewAgent {
  const { variables: _former, ...others } = body;
  const given = Object.entries(values).filter(([, value]) => value !== '');
  return given.length === 0 ? others : { ...others, variables: Object.fromEntries(given) };
}

export function hasVariables(
  { variables = {} }: NewAgent,
  template: Pick<AgentTemplate, 'variables'>,
): boolean {
  return template.variables.every(({ name, required }) => !required || variables[name]);
}

function restartOf(config: NewAgent['config']): Pick<NewAgent, 'config'> {
  const restart = config?.restart;
  return restart ? { config: { restart } } : {};
}
