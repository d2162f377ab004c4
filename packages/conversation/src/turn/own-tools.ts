import { END_TOOL, HANDOVER_TOOL } from '@session/contract';
import { isFields } from '@session/contract/room';
import { cutText, oneLine } from '../clean-text.ts';
import type { ToolDefinition } from '../plan/plan-tools.ts';
import type { OwnToolSettings } from '../tools/own-tool-settings.ts';
import type { CallOutcome } from './tool-caller.ts';
import type { ConversationAct, TurnState } from './turn-state.ts';

const MAX_REASON_LENGTH = 200;

/** What the model is told of its act: before it has spoken in the turn, and after. */
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

/** The tools with which a model acts on the conversation itself. What it asks for is done after its last word. */
export class OwnTools {
  readonly definitions: readonly ToolDefinition[];
  readonly #say: string | undefined;

  constructor({ endConversation, handover }: OwnToolSettings) {
    this.definitions = [
      ...(endConversation ? [END_DEFINITION] : []),
      ...(handover ? [HANDOVER_DEFINITION] : []),
    ];
    this.#say = handover?.say;
  }

  /** Returns the tools of this turn. */
  offered({ mayHandOver }: TurnState): readonly ToolDefinition[] {
    return this.definitions.filter(({ name }) => mayHandOver || name !== HANDOVER_TOOL);
  }

  call(turn: TurnState, name: string, args: unknown): CallOutcome {
    const kind = name === END_TOOL ? 'conversation_ended' : 'handover';
    turn.act ??= { kind, reason: reasonIn(args) };
    const [silent, spoken] = SENTENCES[turn.act.kind];
    const hasWords = turn.hasSpoken || this.lastWords(turn.act) !== undefined;
    return { isRefused: false, sentence: hasWords ? spoken : silent };
  }

  /** Returns what the agent says of an act after the words of the model; undefined if these are enough. */
  lastWords({ kind }: ConversationAct): string | undefined {
    return kind === 'handover' ? this.#say : undefined;
  }
}

const END_DEFINITION = definition(
  END_TOOL,
  'Ends the conversation for good. Call it when the user wants to end, or when all is done and the user needs nothing more. Say goodbye in the same answer.',
  'Why it ends, in a few words.',
);

const HANDOVER_DEFINITION = definition(
  HANDOVER_TOOL,
  'Calls a person of the team, who goes on with the conversation in your place. Call it when the user wants to talk to a person, or needs what you cannot do.',
  'Why a person is needed, in a few words.',
);

function definition(name: string, description: string, reason: string): ToolDefinition {
  return {
    name,
    description,
    parameters: {
      type: 'object',
      properties: {
        reason: { type: 'string', maxLength: MAX_REASON_LENGTH, description: reason },
      },
      required: ['reason'],
    },
  };
}

function reasonIn(args: unknown): string {
  const reason = isFields(args) ? args['reason'] : undefined;
  return typeof reason === 'string' ? cutText(oneLine(reason), MAX_REASON_LENGTH) : '';
}
