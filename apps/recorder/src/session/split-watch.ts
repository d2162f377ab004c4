import type { PresenceEvent } from '@session/contract/room';
import { repeat } from '@session/kit';
import type { RoomService } from '@session/media';
import type { RecorderLog } from '../process/log.ts';
import type { Clock } from '../process/recorder-clock.ts';
import type { RecorderQueries } from '../queries.ts';
import { type Elsewhere, ElsewhereCheck } from '../room/elsewhere.ts';
import type { RoomLink } from '../room/room-link.ts';
import type { Timing } from '../timing.ts';
import type { Coverage } from './coverage.ts';
import { OmittedChecks } from './omitted-checks.ts';

type SplitLink = Pick<
  RoomLink,
  'giveUp' | 'isReceiving' | 'receivesSince' | 'roster' | 'serverLeadMs' | 'state'
>;

interface SplitDeps {
  readonly sessionId: string;
  readonly rooms: Pick<RoomService, 'hasParticipant' | 'listParticipants'>;
  readonly queries: Pick<RecorderQueries, 'listPresentIdentities'>;
  readonly coverage: Pick<Coverage, 'isSplit' | 'reunited' | 'split'>;
  readonly connection: {
    readonly link: SplitLink | undefined;
    readonly links: readonly SplitLink[];
  };
  readonly changed: () => void;
  readonly log: RecorderLog;
  readonly clock: Clock;
  readonly timing: Pick<Timing, 'absentMs' | 'splitCheckMs'>;
}

/**
 * A session counts as covered only while no participant is known to be in another room of its name. The recorder follows the
 * participants who joined last, because a fresh connection leads to their room.
 */
export class SplitWatch implements Disposable {
  readonly #deps: SplitDeps;
  readonly #check: ElsewhereCheck;
  readonly #ending = new AbortController();
  #hasRecalled = false;
  readonly #omitted = new OmittedChecks();

  constructor(deps: SplitDeps) {
    const { sessionId, rooms, connection, clock, timing } = deps;
    this.#deps = deps;
    this.#check = new ElsewhereCheck({
      sessionId,
      rooms,
      roster: () => rosterOf(connection),
      clock,
      absentMs: timing.absentMs,
    });
    void repeat(timing.splitCheckMs, this.#ending.signal, () => this.#ask());
  }

  roomChanged(): void {
    this.#omitted.roomChanged();
  }

  connected(isSeamless: boolean): void {
    if (isSeamless) return;
    // Participants that are still missing may follow the recorder into this room, which the next check shows.
    const isAlone = this.#check.joined().length === 0;
    if (isAlone) this.#deps.coverage.reunited(false, this.#deps.clock.now());
  }

  interrupted({ reason }: Pick<RoomLink, 'reason'>): void {
    if (reason !== 'ROOM_SPLIT') return;
    this.#check.see();
    this.#deps.coverage.split(this.#deps.clock.now());
  }

  parted(at: number): void {
    const { coverage, changed } = this.#deps;
    if (this.#check.joined().length === 0) return;
    coverage.split(at);
    changed();
  }

  [Symbol.dispose](): void {
    this.#ending.abort();
  }

  async #ask(): Promise<void> {
    const { coverage, connection, clock, changed } = this.#deps;
    if (this.#omitted.omitsNext(this.#check.isComplete && !coverage.isSplit)) return;
    const { link } = connection;
    const found = await this.#find().catch(() => undefined);
    if (!found || link?.state !== 'up' || this.#ending.signal.aborted) return;
    if (found.length > 0) this.#split(link, found);
    else if (coverage.isSplit) coverage.reunited(true, clock.now());
    else return;
    changed();
  }

  async #find(): Promise<readonly Elsewhere[] | undefined> {
    const { connection, queries, sessionId } = this.#deps;
    if (!this.#hasRecalled && connection.link) {
      this.#check.recall(await queries.listPresentIdentities(sessionId));
      this.#hasRecalled = true;
    }
    return await this.#check.check();
  }

  #split(link: SplitLink, found: readonly Elsewhere[]): void {
    const { coverage, log, sessionId, clock } = this.#deps;
    if (!coverage.isSplit) {
      const identities = found.map(({ identity }) => identity);
      const message = 'participants in another room of this name: session has a gap';
      log.error({ sessionId, identities }, message);
    }
    const now = clock.now();
    const times = found.map(({ isLeftBehind, joinedAt }) =>
      isLeftBehind ? 0 : (joinedAt ?? now) - link.serverLeadMs,
    );
    // The other room may be on a node with another clock, but no interval ends in the future.
    const since = Math.min(now, ...times);
    coverage.split(since);
    const joinedLater = ({ joinedAt }: Elsewhere) => (joinedAt ?? 0) > (link.receivesSince ?? 0);
    if (found.some(joinedLater)) link.giveUp('ROOM_SPLIT', since);
  }
}

function rosterOf({ link, links }: SplitDeps['connection']): PresenceEvent[] | undefined {
  return link?.isReceiving ? links.flatMap((each) => each.roster()) : undefined;
}
