import type { EndEvent } from './agent-event.ts';
import { cleanContent, timeField } from './clean.ts';
import { type Fields, isText } from './fields.ts';

export type ReportOf<Event> = Omit<Event, 'type' | 'id' | 'message' | 'at'> & {
  readonly at?: string;
};

export type EndReport = ReportOf<EndEvent>;

/** Enough for the 200 characters that our agents send. */
const MAX_REASON_BYTES = 800;

export function endReport({ at, reason }: Fields): EndReport {
  return {
    ...timeField('at', at),
    reason: cleanContent(isText(reason) ? reason : '', MAX_REASON_BYTES).content,
  };
}
