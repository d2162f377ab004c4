import type { ToolParameter, ToolParameters } from '@session/contract';
import { type Fields, isFields } from '@session/contract/room';
import { cutText, oneLine, sizeInBytes } from '../clean-text.ts';
import { isTooDeep, MAX_LEVELS } from '../parse-json.ts';

const MAX_ARGUMENTS_BYTES = 8192;
const MAX_NAME_LENGTH = 80;
const MAX_CHOICES_LENGTH = 500;

export const NO_OBJECT = 'The arguments must be a JSON object.';

export type CheckedArguments =
  | { readonly args: Fields; readonly fault?: undefined }
  | { readonly fault: string };

export function checkObject(args: unknown): CheckedArguments {
  const given = args === undefined || args === '' ? {} : args;
  if (!isFields(given)) return { fault: NO_OBJECT };
  if (isTooDeep(given)) {
    return { fault: `The arguments must have at most ${MAX_LEVELS} levels.` };
  }
  if (sizeInBytes(JSON.stringify(given)) > MAX_ARGUMENTS_BYTES) {
    return { fault: `The arguments must have at most ${MAX_ARGUMENTS_BYTES} bytes.` };
  }
  return { args: given };
}

/**
 * Returns the arguments of a call without optional ones that are null, or a sentence for the model about the first fault. The
 * recursion ends because a schema has at most three levels.
 */
export function checkArguments(parameters: ToolParameters, args: unknown): CheckedArguments {
  const checked = checkObject(args);
  if (checked.fault !== undefined) return checked;
  const stated = withoutNull(parameters, checked.args);
  const fault = faultOf(parameters, stated, '');
  return fault === undefined ? { args: stated } : { fault: `${fault}.` };
}

function withoutNull({ required = [] }: ToolParameters, args: Fields): Fields {
  const stated = Object.entries(args).filter(
    ([name, value]) => value !== null || required.includes(name),
  );
  return Object.fromEntries(stated);
}

function faultOf(parameter: ToolParameter, value: unknown, place: string): string | undefined {
  const name = place === '' ? 'The arguments' : place;
  if (!isOfType(parameter, value)) return `${name} must be ${TYPES[parameter.type]}`;
  const { enum: choices, minimum, maximum, maxLength } = parameter;
  if (choices && !choices.some((choice) => choice === value)) {
    return `${name} must be one of ${cutText(JSON.stringify(choices), MAX_CHOICES_LENGTH)}`;
  }
  if (typeof value === 'number' && minimum !== undefined && value < minimum) {
    return `${name} must be at least ${minimum}`;
  }
  if (typeof value === 'number' && maximum !== undefined && value > maximum) {
    return `${name} must be at most ${maximum}`;
  }
  if (typeof value === 'string' && maxLength !== undefined && value.length > maxLength) {
    return `${name} must have at most ${maxLength} characters`;
  }
  if (Array.isArray(value)) return faultOfItems(parameter, value, place);
  return isFields(value) ? faultOfFields(parameter, value, place) : undefined;
}

function faultOfItems(
  { items }: ToolParameter,
  values: readonly unknown[],
  place: string,
): string | undefined {
  for (const [index, value] of values.entries()) {
    const fault = items && faultOf(items, value, `${place}[${index}]`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOfFields(
  { properties = {}, required = [] }: ToolParameter,
  fields: Fields,
  place: string,
): string | undefined {
  const placeOf = (name: string) =>
    `${place}${place && '.'}${cutText(oneLine(name), MAX_NAME_LENGTH)}`;
  const missing = required.find((name) => !Object.hasOwn(fields, name));
  if (missing !== undefined) return `${placeOf(missing)} is missing`;
  for (const [name, value] of Object.entries(fields)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!property) return `${placeOf(name)} is not a parameter`;
    const fault = faultOf(property, value, placeOf(name));
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const TYPES: Readonly<Record<ToolParameter['type'], string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
};

function isOfType({ type }: ToolParameter, value: unknown): boolean {
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'number') return Number.isFinite(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isFields(value);
  return typeof value === type;
}
