import type { Message } from '../shapes.ts';

/** A page of `GET /sessions/:sessionId/messages`, the newest row first. */
export interface HistoryPage {
  readonly items: readonly Message[];
  readonly nextCursor: string | null;
}

/** `since` is what to send to `GET /sessions/:sessionId/messages/latest`. */
export interface LatestAsk {
  readonly since: string;
  readonly losses: number;
}

/** Goes with a request, and comes back with its answer: a page requested before held rows were forgotten is ignored. */
export interface PageAsk {
  readonly generation: number;
}

/** `cursor` is what to send to `GET /sessions/:sessionId/messages`. */
export interface OlderAsk extends PageAsk {
  readonly cursor: string;
}

/** `since` is where to look, by `GET …/messages/latest`, for a row to page back from. */
export interface NewerAsk extends PageAsk {
  readonly since: string;
}
