export type {
  LatestAsk,
  MessagePage,
  NewerAsk,
  OlderAsk,
  PageAsk,
} from './timeline/asks.ts';
export type { ItemState, LiveMessage, Mark, OwnMessage, TimelineItem } from './timeline/entry.ts';
export type { DetachedSnapshot, TimelineSnapshot } from './timeline/snapshot.ts';
export { Timeline } from './timeline/timeline.ts';
