import type { RestartPolicy } from './restart-policy.ts';

/** What an agent does, and what it needs for that. Adding a role is adding a row to `CATALOGUE`. */
export interface AgentRole {
  /** `echo-agent`: the role's name in requests, labels and `AGENT_IMAGES`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The folder of the agent's program below `apps`. */
  readonly program: string;
  /** The image of the agent's program, without a tag. */
  readonly image: string;
  readonly resources: Resources;
  /** The restart policy of an agent whose request names none. */
  readonly restart: RestartPolicy;
  /** Variables that the environment template of an agent must contain. */
  readonly requiredVariables: readonly string[];
  readonly optionalVariables: readonly string[];
}

/** In Kubernetes' notation: what is requested, and the limit. */
interface Resources {
  readonly cpu: readonly [request: string, limit: string];
  readonly memory: readonly [request: string, limit: string];
}

const VOICE = {
  program: 'core-agent',
  image: 'session-service/core-agent',
  resources: { cpu: ['250m', '1'], memory: ['512Mi', '1Gi'] },
  restart: 'on-failure',
  requiredVariables: ['LLM_API_KEY'],
  optionalVariables: ['LLM_BASE_URL', 'LLM_MODEL', 'STT_PROVIDER', 'TTS_API_KEY'],
} as const;

/** Every role that an agent can have. */
export const CATALOGUE: readonly AgentRole[] = [
  {
    name: 'echo-agent',
    title: 'Echo agent',
    description: 'Answers each text with the same text. It needs no keys: use it for tests.',
    program: 'echo-agent',
    image: 'session-service/echo-agent',
    resources: { cpu: ['50m', '200m'], memory: ['128Mi', '512Mi'] },
    // For tests, which see each end as it is.
    restart: 'never',
    requiredVariables: [],
    optionalVariables: ['STT_PROVIDER'],
  },
  {
    name: 'light-agent',
    title: 'Light agent',
    description: 'A text conversation with a language model.',
    program: 'light-agent',
    image: 'session-service/light-agent',
    resources: { cpu: ['50m', '200m'], memory: ['128Mi', '512Mi'] },
    restart: 'on-failure',
    requiredVariables: ['LLM_API_KEY'],
    optionalVariables: ['LLM_BASE_URL', 'LLM_MODEL'],
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
    ...VOICE,
  },
];

/** The specification's neutral name of the echo agent. */
const ALIASES = new Map([['the service', 'echo-agent']]);

/** Returns the role with this name or alias, or undefined when there is none. */
export function findAgentRole(nameOrAlias: string): AgentRole | undefined {
  const name = ALIASES.get(nameOrAlias) ?? nameOrAlias;
  return CATALOGUE.find((role) => role.name === name);
}
