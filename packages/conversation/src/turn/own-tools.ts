import { END_TOOL } from '@session/contract';
import { isFields } from '@session/contract/room';
import { cutText, oneLine } from '../clean-text.ts';
import type { ToolDefinition } from '../plan/plan-tools.ts';
import type { OwnToolSettings } from '../tools/own-tool-settings.ts';
import type { CallOutcome } from './tool-caller.ts';
import type { TurnState } from './turn-state.ts';

const MAX_REASON_LENGTH = 200;

/** The tools with which a model acts on the conversation itself. What it asks for is done after its last word. */
export class OwnTools {
  readonly definitions: readonly ToolDefinition[];

  constructor({ endConversation }: OwnToolSettings) {
    this.definitions = endConversation ? [END_DEFINITION] : [];
  }

  has(name: string): boolean {
    return this.definitions.some((tool) => tool.name === name);
  }

  call(turn: TurnState, args: unknown): CallOutcome {
    turn.ending ??= { reason: reasonIn(args) };
    const sentence = turn.hasSpoken
      ? 'The conversation ends now.'
      : 'The conversation ends after your next words. Say goodbye in one short sentence, and ask nothing.';
    return { isRefused: false, sentence };
  }
}

const END_DEFINITION: ToolDefinition = {
  name: END_TOOL,
  description:
    'Ends the conversation for good. Call it when the user wants to end, or when all is done and the user needs nothing more. Say goodbye in the same answer.',
  parameters: {
    type: 'object',
    properties: {
      reason: {
        type: 'string',
        maxLength: MAX_REASON_LENGTH,
        description: 'Why it ends, in a few words.',
      },
    },
    required: ['reason'],
  },
};

function reasonIn(args: unknown): string {
  const reason = isFields(args) ? args['reason'] : undefined;
  return typeof reason === 'string' ? cutText(oneLine(reason), MAX_REASON_LENGTH) : '';
}
