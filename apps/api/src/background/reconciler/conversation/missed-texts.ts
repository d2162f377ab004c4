import { encodePacket, MAX_PACKET_BYTES, type UserTextPacket } from '@session/contract/room';
import {
  type LiveAgentRow,
  listTextsAfter,
  readDatabaseClock,
  type SaidMessage,
} from '@session/db';
import { pause } from '@session/kit';
import type { ListedParticipant } from '@session/media/server';
import { packetIdOf } from '../../../features/agents/conversation/room-id.ts';
import type { SupervisionDeps } from '../supervision.ts';

/**
 * The pauses before each look at the history. A recorder stores most texts at once, and those of a sender that is not
 * announced yet up to 3.5 s later.
 */
const PAUSES_MS = [0, 500, 1500, 2500];
const MAX_TEXTS = 200;
/** Longer than all looks take, and longer than a takeover by another process. */
const RECENT_MS = 30_000;
/** Texts from up to this long after the agent was ready are sent too, because clocks differ. */
const CLOCK_SLACK_MS = 1000;

type Stay = Pick<ListedParticipant, 'identity' | 'joinedAt'>;

/**
 * Sends to an agent that has joined its room what people wrote while it started. A successor also gets what people
 * spoke, because its predecessor transcribes the words without answering them. Only this agent gets the texts, the
 * oldest first, under the ids that they have in the room, if any.
 *
 * Each look sends all of them again: the media server drops a packet for a participant whose data channel is not open
 * yet, and a text that is stored late may be older than those sent before. An agent answers an id once, so repetitions
 * do no harm.
 */
export class MissedTexts implements AsyncDisposable {
  readonly #deps: SupervisionDeps;
  readonly #stop = new AbortController();
  #sending: Promise<void> | undefined;
  #sentSince: string | undefined;

  constructor(deps: SupervisionDeps) {
    this.#deps = deps;
  }

  /**
   * Returns whether the agent may lack texts: another process noted it as Running less than `RECENT_MS` ago, and may have
   * ended before its last look.
   */
  mayLack({ status, nowMs, joinedAt, missedSince }: LiveAgentRow): boolean {
    if (this.#sentSince === missedSince || status !== 'Running' || joinedAt === null) return false;
    return nowMs - joinedAt < RECENT_MS;
  }

  send(row: LiveAgentRow, stay: Stay): void {
    this.#sentSince ??= row.missedSince;
    this.#sending ??= this.#run(row, stay);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#sending;
  }

  async #run(row: LiveAgentRow, { identity, joinedAt }: Stay): Promise<void> {
    const { database, rooms, log } = this.#deps;
    const { id: agentId, sessionId, missedSince: after } = row;
    // The agent hears later words itself.
    const spokenBefore = row.isSuccessor ? new Date(joinedAt).toISOString() : undefined;
    const missed = { sessionId, after, spokenBefore, limit: MAX_TEXTS };
    let readyAt = row.joinedAt;
    const sent = new Set<string>();
    let failure: unknown;
    for (const delayMs of PAUSES_MS) {
      if (!(await pause(delayMs, this.#stop.signal))) break;
      try {
        // The database's clock, which also gives messages their times.
        readyAt ??= await readDatabaseClock(database);
        for (const text of await listTextsAfter(database, missed)) {
          const packet = packetOf(sessionId, text, readyAt);
          if (!packet) continue;
          await rooms.sendPacketTo(sessionId, identity, packet);
          sent.add(text.id);
        }
        failure = undefined;
      } catch (error) {
        failure = error;
      }
    }
    if (sent.size > 0) {
      log.info({ agentId, sessionId, texts: sent.size }, 'sent earlier texts to agent');
    }
    if (failure !== undefined) {
      log.warn(
        { agentId, sessionId, err: failure },
        'sending earlier texts failed; agent may have missed some',
      );
    }
  }
}

/**
 * Returns the packet for an agent that was ready at `readyAt`; undefined if the agent has received the text itself, or
 * no packet can carry it. A message that is not a text with an id in the room, such as spoken words, is marked as
 * resent. Agents recognize repeats by their content only among marked messages, because two people may say the same.
 */
function packetOf(
  sessionId: string,
  text: SaidMessage,
  readyAt: number,
): UserTextPacket | undefined {
  const id = text.kind === 'text' ? packetIdOf(sessionId, text) : undefined;
  // A repeated id does no harm, so the clocks may differ. A foreign agent might answer any other repeated text twice.
  const until = id === undefined ? readyAt : readyAt + CLOCK_SLACK_MS;
  if (Date.parse(text.timestamp) > until) return undefined;
  const packet: UserTextPacket = {
    type: 'user_text',
    data: text.content,
    id: id ?? text.id,
    missed: true,
    ...(id === undefined && { resent: true }),
  };
  if (encodePacket(packet).byteLength > MAX_PACKET_BYTES) return undefined;
  const { identity, name } = text;
  return identity === null ? packet : { ...packet, sender: { identity, name: name ?? '' } };
}
