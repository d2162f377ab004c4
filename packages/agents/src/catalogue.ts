/** A kind of agent. Adding one is adding a row. */
export interface AgentType {
  readonly role: string;
  readonly title: string;
  readonly description: string;
  /** The app whose program it is. */
  readonly program: string;
  readonly image: string;
  readonly resources: Resources;
  /** Variables that a template must hold for it. */
  readonly requiredVariables: readonly string[];
  readonly optionalVariables: readonly string[];
}

/** In Kubernetes' notation: requested, and at most. */
interface Resources {
  readonly cpu: readonly [request: string, limit: string];
  readonly memory: readonly [request: string, limit: string];
}

const VOICE = {
  program: 'core-agent',
  image: 'session-service/core-agent',
  resources: { cpu: ['250m', '1'], memory: ['512Mi', '1Gi'] },
  requiredVariables: ['LLM_API_KEY'],
  optionalVariables: ['LLM_BASE_URL', 'LLM_MODEL', 'STT_PROVIDER', 'TTS_API_KEY'],
} as const;

export const CATALOGUE: readonly AgentType[] = [
  {
    role: 'echo-agent',
    title: 'Echo agent',
    description: 'Answers each text with the same text. For tests: it needs no keys.',
    program: 'echo-agent',
    image: 'session-service/echo-agent',
    resources: { cpu: ['50m', '200m'], memory: ['128Mi', '512Mi'] },
    requiredVariables: [],
    optionalVariables: ['STT_PROVIDER'],
  },
  {
    role: 'light-agent',
    title: 'Light agent',
    description: 'A text conversation with a language model.',
    program: 'light-agent',
    image: 'session-service/light-agent',
    resources: { cpu: ['50m', '200m'], memory: ['128Mi', '512Mi'] },
    requiredVariables: ['LLM_API_KEY'],
    optionalVariables: ['LLM_BASE_URL', 'LLM_MODEL'],
  },
  {
    role: 'core-agent',
    title: 'Core agent',
    description: 'A conversation by voice and text with a language model.',
    ...VOICE,
  },
  {
    role: 'conversational-ai',
    title: 'Conversational AI',
    description: 'The core agent, under the name by which it is started over the API.',
    ...VOICE,
  },
];

/** The specification's neutral name of the echo agent. */
const ALIASES = new Map([['the service', 'echo-agent']]);

/** Gives the type that `role`, a name or an alias, stands for, or undefined when there is none. */
export function findAgentType(role: string): AgentType | undefined {
  const name = ALIASES.get(role) ?? role;
  return CATALOGUE.find((type) => type.role === name);
}
