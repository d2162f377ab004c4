import { cleanText } from './clean.ts';
import { isFields, isNumber } from './fields.ts';
import { isAgent, type TextStreamEvent } from './room-event.ts';
import { TURN_ATTRIBUTE } from './wire.ts';

const MAX_TURN_BYTES = 1024;
const MAX_NAME_LENGTH = 200;

const NUMBERS = [
  'endOfTurnMs',
  'firstTokenMs',
  'firstWordsMs',
  'durationMs',
  'modelCalls',
  'toolCalls',
  'promptTokens',
  'completionTokens',
] as const;

/**
 * The figures of an agent's answer. `model`: the model that was asked last, perhaps the `fallback`. `endOfTurnMs`: from
 * the end of a person's words to the beginning of the turn, where the other times begin: `firstTokenMs` to the model's
 * first word, `firstWordsMs` and `durationMs` to the first and last word that people saw or heard.
 */
export interface TurnFigures extends Partial<Record<(typeof NUMBERS)[number], number>> {
  readonly model?: string;
  readonly fallback?: boolean;
}

/** Returns the valid figures in the trailer of an agent's own text; undefined if there are none. */
export function turnOf(event: TextStreamEvent): TurnFigures | undefined {
  const { attributes, sender, transcribers } = event;
  return transcribers || !isAgent(sender) ? undefined : readTurn(attributes[TURN_ATTRIBUTE]);
}

function readTurn(text: string | undefined): TurnFigures | undefined {
  if (text === undefined || new TextEncoder().encode(text).length > MAX_TURN_BYTES)
    return undefined;
  const fields = parsed(text);
  if (!isFields(fields)) return undefined;
  const { model, fallback } = fields;
  const numbers = NUMBERS.flatMap((name) => {
    const value = fields[name];
    const isFigure = isNumber(value) && value >= 0 && value <= Number.MAX_SAFE_INTEGER;
    return isFigure ? [[name, value] as const] : [];
  });
  const isName = typeof model === 'string' && model !== '' && model.length <= MAX_NAME_LENGTH;
  const turn = {
    ...(isName && { model: cleanText(model) }),
    ...(typeof fallback === 'boolean' && { fallback }),
    ...Object.fromEntries(numbers),
  };
  return Object.keys(turn).length > 0 ? turn : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
