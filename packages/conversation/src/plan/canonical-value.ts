import { sizeInBytes } from '../clean-text.ts';
import type { Deliverable } from './plan.ts';

type DeliverableValue = string | number;

export type CanonicalValue =
  | { readonly value: DeliverableValue }
  | { readonly value?: never; readonly rule: string };

const MAX_VALUE_BYTES = 8192;

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

const DATE_FORMS = [
  /^(?<y>\d{4})-(?<m>\d{1,2})-(?<d>\d{1,2})(?:[t ].*)?$/,
  /^(?<y>\d{4})\/(?<m>\d{1,2})\/(?<d>\d{1,2})$/,
  /^(?<y>\d{4})(?<m>\d{2})(?<d>\d{2})$/,
  /^(?<d>\d{1,2})\. ?(?<m>\d{1,2})\. ?(?<y>\d{4})$/,
  /^(?<d>\d{1,2})(?:st|nd|rd|th|\.)? (?:of )?(?<name>[a-z]{3,9})\.? (?<y>\d{4})$/,
  /^(?<name>[a-z]{3,9})\.? (?<d>\d{1,2})(?:st|nd|rd|th)? (?<y>\d{4})$/,
];

/**
 * Returns the stored form of a value that a model proposes: a number as a JSON number, a date as `2026-11-24`, a choice in
 * the plan's spelling, a text trimmed. An ambiguous value, such as the date 3/4/2026, is refused, never guessed.
 */
export function canonicalValue(
  { type, choices = [] }: Pick<Deliverable, 'type' | 'choices'>,
  proposed: unknown,
): CanonicalValue {
  if (typeof proposed === 'number' && Number.isFinite(proposed)) {
    // `-0 + 0` is 0: JSON has no negative zero.
    if (type === 'number') return { value: proposed + 0 };
    return canonicalValue({ type, choices }, String(proposed));
  }
  if (typeof proposed === 'boolean') return canonicalValue({ type, choices }, String(proposed));
  if (typeof proposed !== 'string') return { rule: 'must be a text or a number' };
  const text = storable(proposed);
  if (text === '') return { rule: 'must not be empty' };
  if (sizeInBytes(text) > MAX_VALUE_BYTES) {
    return { rule: `must have at most ${MAX_VALUE_BYTES} bytes` };
  }
  if (type === 'text') return { value: text };
  if (type === 'choice') return canonicalChoice(choices, text);
  if (type === 'number') {
    const value = numberOf(text);
    return value === undefined ? { rule: 'must be a number in digits, such as 42.5' } : { value };
  }
  const value = dateOf(text);
  return value === undefined ? { rule: 'must be a date as YYYY-MM-DD' } : { value };
}

function canonicalChoice(choices: readonly string[], text: string): CanonicalValue {
  const folded = foldCase(text);
  const value =
    choices.find((choice) => choice === text) ??
    choices.find((choice) => foldCase(choice) === folded);
  if (value !== undefined) return { value: storable(value) };
  return { rule: `must be one of: ${choices.join(', ')}` };
}

/** Returns a trimmed text without U+0000 and lone surrogates, which PostgreSQL does not store. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '').trim();
}

function foldCase(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
}

/**
 * Reads digits with the usual separators: `1,234.5`, `1.234,5`, `1 234` and `3,5`. The comma in `1,234` separates
 * thousands.
 */
function numberOf(text: string): number | undefined {
  const compact = text.replaceAll(/(?<=\d)[\s'_\u202f](?=\d{3}(?!\d))/g, '');
  const plain = [
    [/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i, (digits: string) => digits],
    [/^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/, (digits: string) => digits.replaceAll(',', '')],
    [
      /^[+-]?\d{1,3}(?:\.\d{3})+,\d+$/,
      (digits: string) => digits.replaceAll('.', '').replace(',', '.'),
    ],
    [/^[+-]?\d+,\d+$/, (digits: string) => digits.replace(',', '.')],
  ] as const;
  const form = plain.find(([pattern]) => pattern.test(compact));
  const value = form ? Number(form[1](compact)) : Number.NaN;
  return Number.isFinite(value) ? value + 0 : undefined;
}

function dateOf(text: string): string | undefined {
  const words = text
    .toLowerCase()
    .replaceAll(/[,\s]+/g, ' ')
    .replace(/^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.? /, '');
  for (const pattern of DATE_FORMS) {
    const groups = pattern.exec(words)?.groups;
    if (groups) {
      const month = groups['name'] === undefined ? Number(groups['m']) : monthOf(groups['name']);
      return validDate(Number(groups['y']), month, Number(groups['d']));
    }
  }
  return slashedDateOf(words);
}

/** Reads `24/11/2026` and `11/24/2026` only where one of the numbers cannot be a month, or both are the same. */
function slashedDateOf(text: string): string | undefined {
  const [, left, right, year] = (/^(\d{1,2})[/-](\d{1,2})[/-](\d{4})$/.exec(text) ?? []).map(
    Number,
  );
  if (left === undefined || right === undefined || year === undefined) return undefined;
  if (left > 12 || left === right) return validDate(year, right, left);
  return right > 12 ? validDate(year, left, right) : undefined;
}

function monthOf(name: string): number {
  const short = name === 'sept' ? 'sep' : name;
  return 1 + MONTHS.findIndex((month) => month === short || month.slice(0, 3) === short);
}

function validDate(year: number, month: number, day: number): string | undefined {
  const time = new Date(Date.UTC(year, month - 1, day));
  const isReal = time.getUTCMonth() === month - 1 && time.getUTCDate() === day && year >= 1000;
  return isReal ? time.toISOString().slice(0, 10) : undefined;
}
