import type { ListSessionsOptions } from '@session/client';
import type { Session } from '@session/contract';

export interface SessionFilters {
  readonly q?: string;
  readonly status?: Session['status'];
  readonly externalId?: string;
  readonly participant?: string;
  /** `key=value`. */
  readonly metadata?: string;
  /** The first day, in the user's time zone and in the format of a field of the type `date`. */
  readonly from?: string;
  readonly until?: string;
  readonly order?: 'asc';
}

export type FilterText = Exclude<keyof SessionFilters, 'status' | 'order'>;

export const NO_FILTERS: SessionFilters = {};

const STATUSES = ['ACTIVE', 'CLOSED'] as const;
const PAIR = /^([^=]+)=(.+)$/s;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const UUID_V7 = /^([\da-f]{8})-([\da-f]{4})-7/i;

const CHECKS: readonly (readonly [name: FilterText, isValid: (text: string) => boolean])[] = [
  ['q', () => true],
  ['externalId', () => true],
  ['participant', () => true],
  ['metadata', isPair],
  ['from', isDay],
  ['until', isDay],
];

export function filtersOf(search: Readonly<Record<string, unknown>>): SessionFilters {
  const read = (name: keyof SessionFilters): string => {
    const value = search[name];
    // In an address `q=4471` is a number.
    return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  };
  const filters: { -readonly [Name in keyof SessionFilters]: SessionFilters[Name] } = {};
  for (const [name, isValid] of CHECKS) {
    const text = read(name);
    if (text !== '' && isValid(text)) filters[name] = text;
  }
  const status = STATUSES.find((name) => name === read('status'));
  if (status) filters.status = status;
  if (read('order') === 'asc') filters.order = 'asc';
  return filters;
}

export function isPair(text: string): boolean {
  return PAIR.test(text);
}

function isDay(text: string): boolean {
  return DAY.test(text) && !Number.isNaN(Date.parse(text));
}

export function isSearch(filters: SessionFilters): boolean {
  return Object.keys(filters).some((name) => name !== 'status');
}

/** Returns the filters as the API takes them. The days are those of the user's time zone, both included. */
export function optionsOf(filters: SessionFilters): ListSessionsOptions {
  const { q, status, externalId, participant, metadata, from, until, order } = filters;
  const [, key, value] = PAIR.exec(metadata ?? '') ?? [];
  return {
    q,
    status,
    externalId,
    participant,
    order,
    ...(key !== undefined && { [`metadata[${key.trim()}]` as const]: value?.trim() }),
    // The API returns only sessions that were created later than this time.
    ...(from !== undefined && { createdAfter: atStartOf(from, 0, -1) }),
    ...(until !== undefined && { createdBefore: atStartOf(until, 1) }),
  };
}

function atStartOf(day: string, daysLater: number, msLater = 0): string {
  const at = new Date(`${day}T00:00`);
  at.setDate(at.getDate() + daysLater);
  return new Date(at.getTime() + msLater).toISOString();
}

/** Returns the search in words: *“refund” in the name, closed, created from 3 Mar 2026*. */
export function soughtText(filters: SessionFilters): string {
  const { q, status, externalId, participant, metadata, from, until } = filters;
  const parts = [
    q && `“${q}” in the name`,
    status && (status === 'ACTIVE' ? 'open' : 'closed'),
    externalId && `the external id “${externalId}”`,
    participant && `the end user “${participant}”`,
    metadata && `the metadata ${metadata}`,
    from && `created from ${dateText(Date.parse(`${from}T00:00`))}`,
    until && `created until ${dateText(Date.parse(`${until}T00:00`))}`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** Returns how far an unfinished search has looked, by the cursor where it continues: *back to 3 March*. */
export function searchedText({ order }: SessionFilters, cursor: string, now = new Date()): string {
  const [, high, low] = UUID_V7.exec(cursor) ?? [];
  if (!high || !low) return order === 'asc' ? 'so far' : 'the newest ones';
  const day = longDateText(Number.parseInt(high + low, 16), now);
  return order === 'asc' ? `up to ${day}` : `back to ${day}`;
}

const shortDate = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });
const dayAndMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long' });
const longDate = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' });

function dateText(at: number): string {
  return shortDate.format(at);
}

function longDateText(at: number, now: Date): string {
  return (new Date(at).getFullYear() === now.getFullYear() ? dayAndMonth : longDate).format(at);
}
