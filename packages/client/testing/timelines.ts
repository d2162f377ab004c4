import type { Message } from '@session/contract';
import { Timeline } from '../src/index.ts';
import { SESSION } from './model/history.ts';
import { live, participant } from './model/live.ts';

export const USER = 'user-019a9f3c-5b1e-7d42-8a6f-1c2d3e4f5a6b';
export const ME = participant(`${USER}-k3x9qa`);

export const idOf = (number: number) =>
  `019a9f3d-0000-7000-8000-${String(number).padStart(12, '0')}`;
export const timeOf = (number: number) =>
  new Date(Date.UTC(2026, 10, 21, 8, 0, number)).toISOString();

/** Returns the row that is stored at second `number`, under an id of the same number. */
export function row(number: number, part: Partial<Message> = {}): Message {
  const timestamp = timeOf(number);
  const from = { kind: 'text', participant: participant('ada'), rawId: part.id ?? idOf(number) };
  const rest = { role: 'user', status: 'complete', metadata: from, createdAt: timestamp } as const;
  return {
    id: idOf(number),
    sessionId: SESSION,
    content: `row ${number}`,
    timestamp,
    ...rest,
    ...part,
  };
}

/** Returns a timeline that holds the rows of these seconds and is up to date. */
export function opened(numbers: readonly number[], nextCursor: string | null = null): Timeline {
  const timeline = new Timeline();
  timeline.first({ items: numbers.map((number) => row(number)).toReversed(), nextCursor });
  tellLatest(timeline, []);
  return timeline;
}

/** Passes an answer to `askLatest` in, by default up to its newest row. */
export function tellLatest(
  timeline: Timeline,
  items: Message[],
  nextSince = items.at(-1)?.timestamp,
): void {
  const asked = present(timeline.askLatest());
  timeline.latest(asked, { items, nextSince: nextSince ?? asked.since, hasMore: false });
}

export const shown = (timeline: Timeline) =>
  timeline.getSnapshot().items.map(({ content, state }) => `${content}: ${state}`);

export const heard = (number: number, content: string, isFinal: boolean, sender = 'ada') =>
  live({ id: idOf(number), sender, content }, isFinal ? 'final' : 'open');

export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the value is undefined');
  return value;
}
