import { cleanText } from './clean.ts';
import { isFields, isNumber } from './fields.ts';
import { isAgent, type RoomEvent } from './room-event.ts';
import type { RoomMessage } from './room-message.ts';
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
 * What an agent's answer took, as the agent measured it.
 *
 * - `model`: the model that was asked last; `fallback`: whether that was the fallback model.
 * - `endOfTurnMs`: from the end of what a person said to the beginning of the turn. The other times begin there.
 * - `firstTokenMs`, `firstWordsMs`: to the model's first word, and to the first word that people saw or heard.
 * - `durationMs`: to the last word that people saw or heard.
 */
export interface TurnFigures extends Partial<Record<(typeof NUMBERS)[number], number>> {
  readonly model?: string;
  readonly fallback?: boolean;
}

/**
 * Returns the message of an agent's text with the figures that its trailer carries, as `metadata.turn`; any other message as it
 * is. Never throws: whatever is not as it should be is left out. Clients do not call it, and find the figures in the history.
 */
export function withTurn(message: RoomMessage, event: RoomEvent): RoomMessage {
  if (event.type !== 'text_stream' || event.transcribers || !isAgent(event.sender)) return message;
  const turn = readTurn(event.attributes[TURN_ATTRIBUTE]);
  return turn ? { ...message, metadata: { ...message.metadata, turn } } : message;
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
