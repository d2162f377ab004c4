import type { LatestMessages } from '@session/contract';
import { type LatestAsk, type LiveMessage, Timeline } from '../../src/index.ts';
import { type Append, History } from './history.ts';
import { live, participant } from './live.ts';
import { type Client, detach, extendDetached } from './reader.ts';
import { STAGES, type Utterance } from './utterance.ts';

const OWN = 'user-019a9f3c-5b1e-7d42-8a6f-1c2d3e4f5a6b';
const SENDERS = ['ada', 'agent-echo', 'user-019a9f3c-0000-7d42-8a6f-1c2d3e4f5a6b-k3x9qa'];

const MAX_ANSWERS = 1000;

/** A step of a run: its kind, and two numbers for the details. */
export type Step = readonly [kind: number, a: number, b: number];

/** An answer on its way. Each call delivers the same answer. */
type ScriptedAnswer = () => void;

/**
 * A room, a recorder, the history and one client with its timeline. Answers come late, doubled or never, the room drops,
 * repeats and reorders, and the recorder is away at times.
 */
export class World implements Client {
  readonly history = new History();
  readonly timeline = new Timeline();
  readonly own = new Map<string, Append>();
  readonly utterances: Utterance[] = [];
  /** The sender that left the room in this step. */
  left: string | undefined;
  readonly #answers: ScriptedAnswer[] = [];
  #toRoom: LiveMessage[] = [];
  #toRecorder: Append[] = [];
  #isRoomUp = true;
  #isRecorderUp = true;
  #ids = 0;

  open(rows: number): void {
    for (let count = 0; count < rows; count += 1) this.#appendGap();
    this.timeline.first(this.history.page(undefined, 4));
  }

  take([kind, a, b]: Step): void {
    this.left = undefined;
    const steps = this.#steps(a, b);
    const total = steps.reduce((sum, [weight]) => sum + weight, 0);
    let left = kind % total;
    for (const [weight, step] of steps) {
      left -= weight;
      if (left >= 0) continue;
      step();
      return;
    }
  }

  /** Brings everything to rest, step by step: the room and the recorder are up, and each request is answered. */
  *rest(): Generator {
    const { timeline, history } = this;
    [this.#isRoomUp, this.#isRecorderUp, this.left] = [true, true, undefined];
    for (const event of this.#toRoom.splice(0)) yield timeline.hear(event);
    for (const message of this.#toRecorder.splice(0)) yield history.append(message);
    for (const answer of this.#answers.splice(0)) yield answer();
    yield timeline.first(history.page(undefined, 3));
    for (const message of this.own.values()) yield this.#post(message)();
    for (const event of this.#toRoom.splice(0)) yield timeline.hear(event);
    for (let [hasMore, left] = [true, MAX_ANSWERS]; hasMore; left -= 1) {
      if (left === 0) throw new Error('it does not come to rest');
      const asked = timeline.askLatest();
      const answer = history.latest(asked?.since ?? '', 2);
      if (asked) yield timeline.latest(asked, answer);
      hasMore = answer.hasMore;
    }
    for (let asked = timeline.askOlder(); asked; asked = timeline.askOlder()) {
      yield timeline.older(asked, history.page(asked.cursor, 3));
    }
  }

  isStored(id: string, content: string): boolean {
    const all = [...this.utterances, ...this.own.values()];
    const said = all.find((one) => one.id === id && one.content === content);
    return said !== undefined && this.history.find({ ...said, status: 'complete' }) !== undefined;
  }

  #steps(a: number, b: number): [weight: number, step: () => unknown][] {
    const { timeline } = this;
    const isLazy = b % 2 === 0;
    const limit = 1 + (b % 4);
    return [
      [14, () => this.#speak(a, b)],
      [10, () => this.#speakOn(a, b)],
      [8, () => this.#record(a, b)],
      [6, () => this.#record(0, b)],
      [8, () => this.#deliver(a, b)],
      [4, () => this.#deliver(0, b)],
      [12, () => this.#answer(a, b)],
      [4, () => this.#answer(0, 3)],
      [3, () => this.#toggleRecorder(a)],
      [4, () => this.#toggleRoom(a)],
      [3, () => this.#leave(a)],
      [4, () => this.#askFirst(isLazy, 2 + limit)],
      [6, () => this.#askLatest(isLazy, limit)],
      [6, () => this.#askLatest(isLazy, 5)],
      [2, () => this.#askLatestFrom(a, limit)],
      [3, () => this.#askOlder(isLazy, limit)],
      [4, () => this.#say(a)],
      [2, () => this.#sayAgain(a)],
      [2, () => timeline.trim(1 + (a % 4))],
      [1, () => a % 2 === 0 && timeline.reset()],
      [1, () => timeline.setAtEnd(isLazy)],
      [9, () => this.#queue(isLazy, () => detach(this, a, limit))],
      [3, () => this.#queue(isLazy, () => extendDetached(this, 'older', limit))],
      [9, () => this.#queue(isLazy, () => extendDetached(this, 'newer', limit))],
      [4, () => timeline.closeDetached()],
      [3, () => this.#appendGap()],
    ];
  }

  #appendGap(): void {
    const id = this.#newId();
    this.history.append({ id, sender: null, content: `gap ${id}`, status: 'complete' });
  }

  #newId(): string {
    this.#ids += 1;
    return `019a9f3d-0000-7000-8000-${String(this.#ids).padStart(12, '0')}`;
  }

  #speak(a: number, b: number): void {
    const sender = SENDERS[a % SENDERS.length] ?? null;
    const others = [...this.utterances, ...this.own.values()].filter(
      (one) => one.sender !== sender,
    );
    // Senders choose ids, and can choose the id of another sender's message.
    const taken = b % 5 < 2 ? others.at(-1 - (a % 4))?.id : undefined;
    const isTwice = this.utterances.some((one) => one.id === taken && one.sender === sender);
    const id = taken === undefined || isTwice ? this.#newId() : taken;
    const content = `${this.utterances.length}: a`;
    const said: Utterance = { id, sender, content, stage: b % 3 === 0 ? 'final' : 'open' };
    this.utterances.push(said);
    this.#publish(said, b);
  }

  #speakOn(a: number, b: number): void {
    const open = this.utterances.filter(({ stage }) => stage === 'open');
    const said = open[a % Math.max(open.length, 1)];
    if (!said) return;
    said.content += 'aa';
    said.stage = STAGES[b % STAGES.length] ?? 'open';
    this.#publish(said, b);
  }

  #publish({ id, sender, content, stage }: Utterance, b: number): void {
    const isFinal = stage === 'final';
    if (this.#isRoomUp) this.#toRoom.push(live({ id, sender, content }, stage));
    const status = isFinal ? 'complete' : 'pending';
    // A recorder stores unfinished messages now and then, and does not always know a packet's sender.
    const isUnknown = isFinal && b % 12 === 6 && content.endsWith(': a');
    if (!this.#isRecorderUp || (!isFinal && b % 3 === 1)) return;
    this.#toRecorder.push({ id, sender: isUnknown ? null : sender, content, status });
  }

  #record(a: number, b: number): void {
    const message = this.#toRecorder[a % Math.max(this.#toRecorder.length, 1)];
    if (!message) return;
    this.history.append(message);
    // A second recorder stores the same message.
    if (b % 4 !== 0) this.#toRecorder = this.#toRecorder.filter((other) => other !== message);
  }

  #deliver(a: number, b: number): void {
    const event = this.#toRoom[a % Math.max(this.#toRoom.length, 1)];
    if (!event) return;
    this.timeline.hear(event);
    if (b % 4 !== 0) this.#toRoom = this.#toRoom.filter((other) => other !== event);
  }

  #answer(a: number, b: number): void {
    const answer = this.#answers[a % Math.max(this.#answers.length, 1)];
    if (!answer) return;
    const isLost = b % 7 === 0;
    if (!isLost) answer();
    const isDoubled = b % 4 === 0;
    if (!isDoubled) this.#answers.splice(this.#answers.indexOf(answer), 1);
  }

  /** Sends a request. The server answers it now, or if `isLazy`, only when the answer arrives. */
  #queue(isLazy: boolean, ask: () => ScriptedAnswer | undefined): void {
    let made: ScriptedAnswer | undefined;
    const make = () => {
      made ??= ask() ?? (() => {});
      return made;
    };
    if (!isLazy) make();
    if (this.#answers.length < 12) this.#answers.push(() => make()());
  }

  #request<A>(isLazy: boolean, read: () => A, take: (answer: A) => unknown): void {
    let held: { answer: A } | undefined;
    const evaluate = () => {
      held ??= { answer: read() };
      return held.answer;
    };
    if (!isLazy) evaluate();
    if (this.#answers.length < 12) this.#answers.push(() => void take(evaluate()));
  }

  #askFirst(isLazy: boolean, limit: number): void {
    const read = () => this.history.page(undefined, limit);
    this.#request(isLazy, read, (page) => this.timeline.first(page));
  }

  #askLatest(isLazy: boolean, limit: number): void {
    const asked = this.timeline.askLatest();
    if (asked) this.#requestLatest(asked, isLazy, limit);
  }

  /** Asks for rows beyond `since`, as a search for a time does. */
  #askLatestFrom(a: number, limit: number): void {
    const asked = this.timeline.askLatest();
    const { rows } = this.history;
    const since = rows[a % Math.max(rows.length, 1)]?.timestamp;
    if (asked && since !== undefined) this.#requestLatest({ ...asked, since }, false, limit);
  }

  #requestLatest(asked: LatestAsk, isLazy: boolean, limit: number): void {
    const read = () => this.history.latest(asked.since, limit);
    const take = (answer: LatestMessages) => this.timeline.latest(asked, answer);
    this.#request(isLazy, read, take);
  }

  #askOlder(isLazy: boolean, limit: number): void {
    const asked = this.timeline.askOlder();
    if (!asked) return;
    const read = () => this.history.page(asked.cursor, limit);
    this.#request(isLazy, read, (page) => this.timeline.older(asked, page));
  }

  #say(a: number): void {
    const id = this.#newId();
    const sender = OWN;
    const content = `${id} own`;
    const message = { id, sender, content, status: 'complete' } as const;
    this.own.set(id, message);
    this.timeline.say({ id, content, participant: participant(`${OWN}-abc123`) });
    if (a % 3 > 0) this.#answers.push(this.#post(message));
    else if (this.#isRoomUp && this.#isRecorderUp) {
      this.#toRecorder.push({ ...message, sender: `${OWN}-abc123` });
    }
  }

  #sayAgain(a: number): void {
    const all = [...this.own.values()];
    const message = all[a % Math.max(all.length, 1)];
    if (!message) return;
    this.timeline.say({ ...message, participant: participant(`${OWN}-abc123`) });
    this.#answers.push(this.#post(message));
  }

  /**
   * Sends a message by the API, which renames the row when another sender has used the id. The answer may be lost. The API's packet
   * in the room has the id that was sent, and names no sender.
   */
  #post(message: Append): ScriptedAnswer {
    const { history, timeline } = this;
    history.append(message);
    if (this.#isRoomUp) this.#toRoom.push(live({ ...message, sender: null }, 'final'));
    const row = history.find(message);
    return () => void (row && timeline.confirm(row));
  }

  #leave(a: number): void {
    this.left = SENDERS[a % SENDERS.length] ?? '';
    this.timeline.participantLeft(participant(this.left));
  }

  #toggleRecorder(a: number): void {
    this.#isRecorderUp = a % 8 !== 0;
    if (!this.#isRecorderUp) this.#toRecorder = [];
  }

  #toggleRoom(a: number): void {
    this.#isRoomUp = a % 6 !== 0;
    if (this.#isRoomUp) return;
    this.#toRoom = [];
    this.timeline.roomLost();
  }
}
