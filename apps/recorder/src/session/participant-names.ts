import {
  messageIdOf,
  type Participant,
  type RoomEvent,
  type RoomMessage,
  withExternalId,
} from '@session/contract/room';
import type { KnownName, WantedNames } from '@session/db';
import { withDeadline } from '@session/kit';
import { tokenOwner } from '@session/media';
import { LRUCache } from 'lru-cache';
import { validate } from 'uuid';
import type { RecorderQueries } from '../queries.ts';

const TIMEOUT_MS = 250;
const REST_MS = 1000;
const MAX_NAMES = 20_000;
/** How long the name of an account is trusted, because a customer may give an end user another name with each token. */
const USER_TTL_MS = 60_000;

const UNKNOWN: KnownName = { name: '' };

type NameQueries = Pick<RecorderQueries, 'listParticipantNames'>;

type Wanted =
  | { readonly userId: string }
  | { readonly sid: string; readonly sessionId: string; readonly messageId: string };

/**
 * The names of participants when they joined, because names may change. If a token of the API was used, the name of its account
 * counts, or the role of its agent. Otherwise the first name counts that this process saw, or that any recorder has stored.
 */
export class ParticipantNames {
  readonly #queries: NameQueries;
  readonly #users = new LRUCache<string, KnownName>({
    max: MAX_NAMES,
    ttl: USER_TTL_MS,
    // Otherwise the cache keeps the clock of its import, which virtual time does not replace.
    perf: performance,
  });
  readonly #stays = new LRUCache<string, string>({ max: MAX_NAMES });
  /** By `sid`: the name that the account had when the stay was first named. */
  readonly #accountNames = new LRUCache<string, string>({ max: MAX_NAMES });
  #wanted = new Map<string, Wanted>();
  #asking: Promise<void> | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(queries: NameQueries) {
    this.#queries = queries;
  }

  /**
   * Returns undefined if there is nothing to ask for, or the database has just failed. Otherwise resolves when `named` can
   * return the name, or when the database is late or fails. Never rejects.
   */
  load(sessionId: string, participant: Participant | null): Promise<void> | undefined {
    const wanted = participant ? this.#wantedName(sessionId, participant) : undefined;
    if (!wanted || performance.now() - this.#failedAt < REST_MS) return undefined;
    this.#wanted.set('sid' in wanted ? wanted.sid : wanted.userId, wanted);
    this.#asking ??= this.#ask();
    return this.#asking;
  }

  named(event: RoomEvent): RoomEvent {
    if ('participant' in event) return { ...event, participant: this.#rename(event.participant) };
    // Written twice: a text stream always has a sender, and any other event may have none.
    if (event.type === 'text_stream') return { ...event, sender: this.#rename(event.sender) };
    return event.sender ? { ...event, sender: this.#rename(event.sender) } : event;
  }

  identified(message: RoomMessage): RoomMessage {
    const { participant } = message.metadata;
    const owner = participant ? tokenOwner(participant.identity) : undefined;
    const user = owner && 'userId' in owner ? this.#users.get(owner.userId) : undefined;
    return withExternalId(message, user?.externalId);
  }

  #rename<P extends Participant>(participant: P): P {
    const { identity, sid } = participant;
    const first = sid === null ? participant.name : this.#firstName(sid, participant.name);
    const owner = tokenOwner(identity);
    if (!owner) return { ...participant, name: first };
    const name = 'role' in owner ? owner.role : this.#accountName(owner.userId, sid);
    return { ...participant, name: name || first };
  }

  #accountName(userId: string, sid: string | null): string | undefined {
    const kept = this.#accountNames.get(sid ?? '');
    if (kept !== undefined) return kept;
    const name = this.#users.get(userId)?.name;
    if (name && sid !== null) this.#accountNames.set(sid, name);
    return name;
  }

  #firstName(sid: string, name: string): string {
    const first = this.#stays.get(sid);
    if (first === undefined) this.#stays.set(sid, name);
    return first ?? name;
  }

  #wantedName(sessionId: string, { identity, sid }: Participant): Wanted | undefined {
    const owner = tokenOwner(identity);
    if (owner && 'role' in owner) return undefined;
    if (owner && validate(owner.userId)) {
      return this.#users.has(owner.userId) ? undefined : owner;
    }
    if (sid === null || this.#stays.has(sid)) return undefined;
    return { sid, sessionId, messageId: messageIdOf(sessionId, 'participant_joined', sid) };
  }

  async #ask(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const wanted = [...this.#wanted.values()];
    this.#wanted.clear();
    this.#asking = undefined;
    try {
      const names = await withDeadline(
        this.#queries.listParticipantNames(splitNames(wanted)),
        TIMEOUT_MS,
      );
      for (const each of wanted) this.#remember(each, names);
    } catch {
      this.#failedAt = performance.now();
    }
  }

  #remember(wanted: Wanted, names: ReadonlyMap<string, KnownName>): void {
    if ('userId' in wanted) this.#users.set(wanted.userId, names.get(wanted.userId) ?? UNKNOWN);
    else {
      const name = names.get(wanted.messageId)?.name;
      if (name !== undefined) this.#firstName(wanted.sid, name);
    }
  }
}

function splitNames(wanted: readonly Wanted[]): WantedNames {
  return {
    userIds: wanted.flatMap((each) => ('userId' in each ? each.userId : [])),
    joins: wanted.flatMap((each) => ('sid' in each ? each : [])),
  };
}
