import { checkTemplate, KEY_WORDS, TEMPLATE_VARIABLES } from '@session/conversation/settings';

export interface AgentVariable {
  readonly name: string;
  readonly required: boolean;
  readonly secret: boolean;
  readonly description: string;
  readonly default: string | null;
}

const ECHO_MODES: ReadonlySet<string> = new Set(['text', 'audio', 'both']);

export const ECHO_VARIABLES: readonly AgentVariable[] = [
  {
    name: 'ECHO_MODE',
    required: false,
    secret: false,
    description:
      'What is echoed: `text`, `audio` or `both`. `config.echoMode` of the request to start the agent overrides it.',
    default: 'text',
  },
  {
    name: 'STT_PROVIDER',
    required: false,
    secret: false,
    description: 'Accepted, and without effect: the echo agent understands no speech.',
    default: null,
  },
];

export const VOICE_VARIABLES: readonly AgentVariable[] = TEMPLATE_VARIABLES.map(agentVariableOf);

export const TEXT_VARIABLES: readonly AgentVariable[] = TEMPLATE_VARIABLES.filter(
  ({ voiceOnly }) => !voiceOnly,
).map(agentVariableOf);

export function checkEchoVariables({
  ECHO_MODE: mode,
}: Readonly<Record<string, string>>): readonly string[] {
  return !mode || ECHO_MODES.has(mode) ? [] : ['ECHO_MODE is not valid: text, audio or both'];
}

export function checkConversationVariables(
  variables: Readonly<Record<string, string>>,
): readonly string[] {
  return checkTemplate(variables).map(({ message }) => message);
}

const CREDENTIALS = /\/\/[^/]*@/;

/**
 * Returns the values that must not be logged, including those of unknown variables. Placeholders for a key, such as
 * `rehearsal`, are not secret.
 */
export function secretValues(
  variables: Readonly<Record<string, string>>,
  known: readonly AgentVariable[],
): string[] {
  return Object.entries(variables)
    .filter(([name, value]) => {
      const variable = known.find((one) => one.name === name);
      if (!variable) return true;
      return variable.secret ? !KEY_WORDS.includes(value) : CREDENTIALS.test(value);
    })
    .map(([, value]) => value);
}

function agentVariableOf({
  name,
  required,
  secret,
  description,
  default: value,
}: (typeof TEMPLATE_VARIABLES)[number]): AgentVariable {
  return { name, required, secret, description, default: value || null };
}
