import {
  type AgentVariable,
  checkConversationVariables,
  checkEchoVariables,
  ECHO_VARIABLES,
  TEXT_VARIABLES,
  VOICE_VARIABLES,
} from './agent-variable.ts';
import type { RestartPolicy } from './restart-policy.ts';

export interface AgentRole {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly program: string;
  readonly image: string;
  readonly resources: Resources;
  readonly restart: RestartPolicy;
  readonly conversation: 'none' | 'text' | 'voice';
  readonly aliasOf?: string;
  readonly variables: readonly AgentVariable[];
  /** For a role of the file `AGENT_ROLES`: its program for Node, if it has one, and what the program may read. */
  readonly run?: { readonly node?: string | undefined; readonly reads: readonly string[] };
}

interface Resources {
  readonly cpu: readonly [request: string, limit: string];
  readonly memory: readonly [request: string, limit: string];
}

const VOICE = {
  program: 'core-agent',
  image: 'session-service/core-agent',
  resources: { cpu: ['250m', '1'], memory: ['512Mi', '1Gi'] },
  restart: 'on-failure',
  conversation: 'voice',
  variables: VOICE_VARIABLES,
} as const;

export const CATALOGUE: readonly AgentRole[] = [
  {
    name: 'echo-agent',
    title: 'Echo agent',
    description:
      'Says texts back, and speech in the modes `audio` and `both`. It needs no keys: use it for tests.',
    program: 'echo-agent',
    image: 'session-service/echo-agent',
    resources: { cpu: ['50m', '200m'], memory: ['128Mi', '512Mi'] },
    // Not restarted, because tests check each end.
    restart: 'never',
    conversation: 'none',
    variables: ECHO_VARIABLES,
  },
  {
    name: 'light-agent',
    title: 'Light agent',
    description: 'A text conversation with a language model.',
    program: 'light-agent',
    image: 'session-service/light-agent',
    resources: { cpu: ['50m', '200m'], memory: ['128Mi', '512Mi'] },
    restart: 'on-failure',
    conversation: 'text',
    variables: TEXT_VARIABLES,
  },
  {
    name: 'core-agent',
    title: 'Core agent',
    description: 'A voice and text conversation with a language model.',
    ...VOICE,
  },
  {
    name: 'conversational-ai',
    title: 'Conversational AI',
    description: 'The core agent, under the name that API clients start it by.',
    aliasOf: 'core-agent',
    ...VOICE,
  },
];

const ALIASES = new Map([['the service', 'echo-agent']]);

export function findAgentRole(
  nameOrAlias: string,
  roles: readonly AgentRole[] = CATALOGUE,
): AgentRole | undefined {
  const name = ALIASES.get(nameOrAlias) ?? nameOrAlias;
  return roles.find((role) => role.name === name);
}

export function capabilitiesOf({ conversation, run }: AgentRole): ('text' | 'hearing' | 'voice')[] {
  // The echo agent also repeats speech.
  const hears = conversation === 'voice' || (conversation === 'none' && !run);
  return hears ? ['text', 'hearing', 'voice'] : ['text'];
}

export function requiredVariables({ variables }: AgentRole): string[] {
  return variables.filter(({ required }) => required).map(({ name }) => name);
}

/**
 * Returns a sentence, without values, for each variable that an agent of this role would refuse. Uses the schema of our own
 * programs. An operator's image may accept more, and a role of `AGENT_ROLES` anything.
 */
export function checkVariables(
  { conversation, run }: AgentRole,
  variables: Readonly<Record<string, string>>,
): readonly string[] {
  if (run) return [];
  return conversation === 'none'
    ? checkEchoVariables(variables)
    : checkConversationVariables(variables);
}
