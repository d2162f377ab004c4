import {
  type AgentTemplateDefinition,
  type AgentTemplateValues,
  fillVariables,
  longestValue,
  secretsOfHeaders,
  variablesIn,
  withServerDefaults,
  withToolDefaults,
} from '@session/contract';
import { AppError } from '@session/kit';
import { agentVariables, faultsOfVariables } from './agent-variables.ts';
import { mapTexts } from './map-texts.ts';

/** An agent gets its plan, and its tools, in one environment variable each, which Linux limits to 128 KiB. */
const MAX_PART_BYTES = 100_000;
const MAX_FILLED_CHARACTERS = 400_000;

/** A path that ends in `..`, for example, would name another resource. */
const DOT_SEGMENT = /[/](?:\.|%2e){1,2}(?=[/?]|$)/i;

/**
 * Returns the value of each variable: the value that the start sends, or the default. Throws `missing_variable`, and
 * `invalid_request` for a value that the template does not allow.
 */
export function variableValues(
  { variables }: Pick<AgentTemplateDefinition, 'variables'>,
  sent: AgentTemplateValues = {},
): Record<string, string> {
  const names = variables.map(({ name }) => name);
  const unknown = Object.keys(sent).filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    const known = names.length === 0 ? 'It has none.' : `It has ${names.join(', ')}.`;
    throw refused(`The agent template has no variable ${unknown.join(', ')}. ${known}`);
  }
  for (const { name, maxLength } of variables) {
    const most = longestValue({ maxLength });
    if ((sent[name] ?? '').length <= most) continue;
    throw refused(`The variable ${name} may have at most ${most} characters.`);
  }
  const missing = variables.filter(({ name, required }) => required && !sent[name]);
  if (missing.length > 0) {
    const list = missing.map(({ name }) => name).join(', ');
    const detail = `The agent template needs a value for ${list}: send it in \`variables\`.`;
    throw new AppError('missing_variable', 'a variable has no value', { detail });
  }
  return Object.fromEntries(
    variables.map(({ name, default: value = '' }) => [name, sent[name] ?? value]),
  );
}

export interface RunTemplate {
  readonly id: string;
  readonly name?: string | undefined;
  readonly definition: AgentTemplateDefinition;
  readonly values: Readonly<Record<string, string>>;
}

/**
 * Returns the environment of an agent that runs with a template: its texts with the variables filled in, `PLAN` and
 * `AGENT_DEFINITION`. Values are not filled again, so braces in them stay. Throws `invalid_request` for values with which an
 * agent could not run.
 *
 * @param hosts to which hosts tools may send the variables of the environment template. Variables that no tool sends are left
 * out.
 */
export function templateEnvironment(
  { id, name: title, definition, values }: RunTemplate,
  hosts: Readonly<Record<string, readonly string[]>>,
): Record<string, string> {
  const { plan, tools, mcpServers, endConversation, answers, handover, ...texts } = filled(
    definition,
    values,
  );
  const environment = agentVariables(texts);
  const [fault] = faultsOfVariables(environment);
  if (fault !== undefined) throw refused(`With its variables filled in, ${fault}.`);
  const senders = [...tools.map(({ request }) => request), ...mcpServers];
  const sentSecrets = new Set(senders.flatMap(({ headers }) => secretsOfHeaders(headers)));
  const parts = {
    ...(plan && { PLAN: { id, name: plan.name, description: null, steps: plan.steps } }),
    ...((senders.length > 0 || endConversation || title !== undefined || handover) && {
      AGENT_DEFINITION: {
        version: 1,
        tools: tools.map(withToolDefaults),
        // Agents of earlier releases ignore servers.
        ...(mcpServers.length > 0 && { mcpServers: mcpServers.map(withServerDefaults) }),
        hosts: Object.fromEntries(Object.entries(hosts).filter(([name]) => sentSecrets.has(name))),
        ...(endConversation && { endConversation: true }),
        ...(title !== undefined && { name: title }),
        ...(answers === 'named' && { answers }),
        ...(handover && { handover }),
      },
    }),
  };
  for (const [name, part] of Object.entries(parts)) {
    const text = JSON.stringify(part);
    if (Buffer.byteLength(text) > MAX_PART_BYTES) throw tooLong();
    environment[name] = text;
  }
  return environment;
}

function filled(
  definition: AgentTemplateDefinition,
  values: RunTemplate['values'],
): AgentTemplateDefinition {
  let characters = 0;
  return mapTexts(definition, (text, _, kind) => {
    const valueAt = (name: string) => {
      const value = values[name] ?? '';
      return kind === 'url' ? encodeURIComponent(value) : value;
    };
    // Counted before the text is built, because a long value may occur in many places.
    characters += text.length;
    for (const name of variablesIn(text)) characters += valueAt(name).length;
    if (characters > MAX_FILLED_CHARACTERS) throw tooLong();
    const empty = kind === 'url' && variablesIn(pathOf(text)).find((name) => valueAt(name) === '');
    if (empty) {
      throw refused(
        `The variable ${empty} is in the path of a URL, and has no value. Send one in \`variables\`.`,
      );
    }
    const result = fillVariables(text, valueAt);
    const isOther = kind === 'url' && DOT_SEGMENT.test(result) && !DOT_SEGMENT.test(text);
    if (!isOther) return result;
    throw refused(
      'In the path of a URL, a segment would be . or .. with its variables filled in. Send another value.',
    );
  });
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? '';
}

function tooLong(): AppError {
  return refused(
    `With its variables filled in, the plan or the tools of the agent template have more than ${MAX_PART_BYTES} bytes. Send shorter values.`,
  );
}

function refused(detail: string): AppError {
  return new AppError('invalid_request', 'the variables of an agent template are not valid', {
    detail,
  });
}
