import type { Message } from '@session/contract';
import type { TimelineItem } from '../../src/index.ts';
import type { World } from './world.ts';

/** Checks what must hold after each step of a run and at its end. Throws an Error that names what does not hold. */
export class Checks {
  readonly #world: World;
  /** The step at which each item appeared or was said to its end. */
  readonly #arrivals = new Map<string, number>();
  readonly #speaking = new Set<string>();
  /** The content of items that were complete or said to their end, by key. */
  readonly #final = new Map<string, string>();
  #step = 0;

  constructor(world: World) {
    this.#world = world;
  }

  afterStep(): void {
    this.#step += 1;
    const { items } = this.#world.timeline.getSnapshot();
    check(new Set(items.map(({ key }) => key)).size === items.length, 'a key is there twice');
    const stored = items.filter(({ timestamp }) => timestamp !== null);
    this.#checkRows(stored, 'live');
    this.#checkOwn(items);
    this.#checkFinal(items);
    this.#checkLeft(items);
    this.#checkOrder(items);
    const detached = this.#world.timeline.getDetachedSnapshot();
    if (detached) this.#checkRows(detached.items, 'detached');
  }

  atRest(): void {
    const { history, timeline, own } = this.#world;
    const { items, hasOlder, catchingUp } = timeline.getSnapshot();
    check(!hasOlder && !catchingUp, 'it does not come to rest');
    const stored = items.filter(({ timestamp }) => timestamp !== null);
    const shown = stored.map(({ id, content, state }) => `${id} ${state} ${content}`);
    const rows = history.rows.map((row) => `${row.id} ${row.status} ${row.content}`);
    // A message that the recorder has only in part is shown as the room has it.
    const isEqual = stored.every(
      ({ state }, index) =>
        shown[index] === rows[index] || state === 'unconfirmed' || state === 'speaking',
    );
    check(isEqual && shown.length === rows.length, 'the stored part is not the history');
    for (const { id, content, timestamp } of items) {
      const isKnown = timestamp === null && this.#world.isStored(id, content);
      check(!isKnown, `stored and shown as not stored: ${content}`);
    }
    for (const message of own.values()) {
      check(history.find(message) !== undefined, `our own message is lost: ${message.content}`);
    }
  }

  /** Rows are strictly ordered, without a hole up to `since`, and as they were at `since` or later. */
  #checkRows(items: readonly TimelineItem[], name: string): void {
    const { history, timeline } = this.#world;
    const times = items.map(({ timestamp }) => timestamp ?? '');
    const isOrdered = times.every((time, index) => index === 0 || time > (times[index - 1] ?? ''));
    check(isOrdered, `the ${name} window is not ordered by time`);
    const since = timeline.askLatest()?.since;
    const [oldest] = times;
    if (since === undefined || oldest === undefined) return;
    const end = name === 'live' ? since : (times.at(-1) ?? '');
    const held = new Map(items.map((item) => [item.id, item]));
    for (const row of history.rows) {
      if (row.timestamp < oldest || row.timestamp > end) continue;
      const isOld = history.seenAt(row.id) <= since;
      const item = held.get(row.id);
      if (name === 'detached' || isOld) check(item !== undefined, `a hole in the ${name} window`);
      if (isOld && item) check(isUpToDate(item, row), `an old version in the ${name} window`);
    }
  }

  /** Our own messages are in the list until they are in the history. */
  #checkOwn(items: readonly TimelineItem[]): void {
    const { own, history } = this.#world;
    const contents = new Set(items.map(({ content }) => content));
    for (const message of own.values()) {
      const isKept = contents.has(message.content) || history.find(message) !== undefined;
      check(isKept, `our own message has vanished: ${message.content}`);
    }
  }

  /** A whole text never changes, and its sender never speaks on. */
  #checkFinal(items: readonly TimelineItem[]): void {
    const { utterances } = this.#world;
    const whole = new Set(utterances.flatMap((one) => (one.stage === 'final' ? one.content : [])));
    for (const { key, state, content } of items) {
      const final = this.#final.get(key);
      const isSame = final === content && state !== 'speaking';
      check(final === undefined || isSame, 'a whole text has changed');
      const isFinal = state === 'unconfirmed' && whole.has(content);
      if (isFinal || state === 'complete') this.#final.set(key, content);
    }
  }

  /** Nobody speaks on whose next words only the one could have sent that left: an agent also transcribes the others. */
  #checkLeft(items: readonly TimelineItem[]): void {
    const { left } = this.#world;
    if (left === undefined) return;
    const isAgent = left.startsWith('agent-');
    const speaking = items.filter(({ state }) => state === 'speaking');
    const isOver = speaking.every((one) => one.participant?.identity !== left && !isAgent);
    check(isOver, 'speaks on after it has left');
  }

  /** No unstored message stands above a row that this client had seen earlier. */
  #checkOrder(items: readonly TimelineItem[]): void {
    for (const { key, state, timestamp } of items) {
      const wasSpeaking = this.#speaking.delete(key);
      if (state === 'speaking') this.#speaking.add(key);
      const isSaid = wasSpeaking && state === 'unconfirmed' && timestamp === null;
      if (isSaid || !this.#arrivals.has(key)) this.#arrivals.set(key, this.#step);
    }
    let oldestBelow = Number.POSITIVE_INFINITY;
    for (const { key, timestamp, content } of items.toReversed()) {
      const arrival = this.#arrivals.get(key) ?? 0;
      if (timestamp !== null) oldestBelow = Math.min(oldestBelow, arrival);
      else check(arrival <= oldestBelow, `stands above what was seen before it: ${content}`);
    }
  }
}

/** A pending row may be shown with the room's longer text. */
function isUpToDate({ state, content }: TimelineItem, row: Message): boolean {
  const isLive = state === 'unconfirmed' || state === 'speaking';
  if (isLive) return row.status === 'pending';
  return content === row.content && state === row.status;
}

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}
