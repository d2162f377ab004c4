import { END_TOOL, HANDOVER_TOOL, PERSON } from '@session/contract';
import { type HandoverAgent, isFields } from '@session/contract/room';
import { cutText, oneLine } from '../clean-text.ts';
import type { ToolDefinition } from '../plan/plan-tools.ts';
import { NO_OBJECT } from '../tools/check-arguments.ts';
import type { HandoverSettings, OwnToolSettings } from '../tools/own-tool-settings.ts';
import type { CallOutcome } from './tool-caller.ts';
import type { ConversationAct, TurnState } from './turn-state.ts';

const MAX_REASON_LENGTH = 200;

const SENTENCES = {
  conversation_ended: [
    'The conversation ends after your next words. Say goodbye in one short sentence, and ask nothing.',
    'The conversation ends now.',
  ],
  handover: [
    'A person is called now. Tell the user so in one short sentence, and ask nothing.',
    'A person is called now.',
  ],
} as const;

const AGENT_SENTENCES = [
  'The conversation is handed over to another agent after your next words. Tell the user so in one short sentence, and ask nothing.',
  'The conversation is handed over now.',
] as const;

export class OwnTools {
  readonly definitions: readonly ToolDefinition[];
  readonly #handover: HandoverSettings | undefined;

  constructor({ endConversation, handover }: OwnToolSettings) {
    this.definitions = [
      ...(endConversation ? [END_DEFINITION] : []),
      ...(handover ? [handoverDefinition(handover)] : []),
    ];
    this.#handover = handover;
  }

  offered({ mayHandOver }: TurnState): readonly ToolDefinition[] {
    return this.definitions.filter(({ name }) => mayHandOver || name !== HANDOVER_TOOL);
  }

  call(turn: TurnState, name: string, args: unknown): CallOutcome {
    if (args !== undefined && !isFields(args)) return { isRefused: true, sentence: NO_OBJECT };
    const kind = name === END_TOOL ? 'conversation_ended' : 'handover';
    const to = kind === 'handover' ? this.#successorIn(args) : undefined;
    if (kind === 'handover' && !to && !this.#isToPerson(args)) {
      return { isRefused: true, sentence: 'There is no such agent. Name one of those of `to`.' };
    }
    turn.act ??= { kind, reason: reasonIn(args), ...(to && { to }) };
    const [silent, spoken] = turn.act.to ? AGENT_SENTENCES : SENTENCES[turn.act.kind];
    const hasWords = turn.hasSpoken || this.lastWords(turn.act) !== undefined;
    return { isRefused: false, sentence: hasWords ? spoken : silent };
  }

  /** Returns what the agent says about an act after the model's words; undefined if these are enough. */
  lastWords({ kind, to }: ConversationAct): string | undefined {
    return kind === 'handover' && !to ? this.#handover?.persons?.say : undefined;
  }

  #isToPerson(args: unknown): boolean {
    const { persons, agents = [] } = this.#handover ?? {};
    return persons !== undefined && (agents.length === 0 || nameIn(args) === PERSON);
  }

  #successorIn(args: unknown): HandoverAgent | undefined {
    const named = nameIn(args);
    const found = this.#handover?.agents.find(({ name }) => name.toLowerCase() === named);
    return found && { agentTemplateId: found.agentTemplateId, name: found.name };
  }
}

const END_DEFINITION = definition(
  END_TOOL,
  'Ends the conversation for good. Call it when the user wants to end, or when all is done and the user needs nothing more. Say goodbye in the same answer.',
  'Why it ends, in a few words.',
);

const PERSON_DESCRIPTION =
  'Calls a person of the team, who goes on with the conversation in your place. Call it when the user wants to talk to a person, or needs what you cannot do.';

function handoverDefinition({ persons, agents }: HandoverSettings): ToolDefinition {
  if (agents.length === 0) {
    return definition(HANDOVER_TOOL, PERSON_DESCRIPTION, 'Why a person is needed, in a few words.');
  }
  const names = [...agents.map(({ name }) => name), ...(persons ? [PERSON] : [])];
  const lines = agents.flatMap(({ name, description }) =>
    description === undefined ? [] : `${name}: ${description}`,
  );
  if (persons) lines.push(`${PERSON}: a person of the team.`);
  return definition(
    HANDOVER_TOOL,
    [
      'Hands the conversation over to another agent, or to a person, who goes on in your place. Call it when the user needs what one of them does.',
      ...lines,
    ].join('\n'),
    'Why it is handed over, in a few words. Whoever goes on reads it.',
    { to: { type: 'string', enum: names, description: 'Who goes on.' } },
  );
}

function definition(
  name: string,
  description: string,
  reason: string,
  others: Readonly<Record<string, object>> = {},
): ToolDefinition {
  return {
    name,
    description,
    parameters: {
      type: 'object',
      properties: {
        ...others,
        reason: { type: 'string', maxLength: MAX_REASON_LENGTH, description: reason },
      },
      required: [...Object.keys(others), 'reason'],
    },
  };
}

function nameIn(args: unknown): string {
  const name = isFields(args) ? args['to'] : undefined;
  return typeof name === 'string' ? name.trim().toLowerCase() : '';
}

function reasonIn(args: unknown): string {
  const reason = isFields(args) ? args['reason'] : undefined;
  return typeof reason === 'string' ? cutText(oneLine(reason), MAX_REASON_LENGTH) : '';
}
