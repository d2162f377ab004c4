import type { LiveAgentRow } from '@session/db';
import {
  agentIdentity,
  isForeign,
  type ListedParticipant,
  type RoomService,
} from '@session/media/server';

export interface AgentPresenceOptions {
  readonly rooms: Pick<RoomService, 'listParticipants'>;
  /** Whether agents get the media server's keys, with which an agent can join under any identity. */
  readonly hasMediaKeys: boolean;
  /** How long an active participant may take to announce itself. After that it counts as ready without an announcement. */
  readonly announceTimeoutMs: number;
}

type AgentKey = Pick<LiveAgentRow, 'id' | 'role' | 'sessionId'>;

/**
 * Finds out whether one workload of an agent is ready in its room. An agent is ready when it has announced itself there:
 * only the agent knows that it receives messages and can answer. The server's word that its participant is active is not enough: the
 * agent's own side may not be connected yet, or may give up. Measured on a loaded machine: of 240 connections 18 still
 * missed packets right after the SDK had called them connected; of 400 none did after announcing themselves.
 *
 * A program that was killed stays in the room as a ghost: the media server waits for its return, 15 s or so, and lists it as
 * active and announced. The next workload has the same identity.
 */
export class AgentPresence {
  readonly #options: AgentPresenceOptions;
  /** When the participant was first found active, without a break since. */
  #activeSince: number | undefined;
  /** The `sid`s of participants that an earlier workload of the agent may have left. */
  #ghosts: ReadonlySet<string> | undefined;

  constructor(options: AgentPresenceOptions) {
    this.#options = options;
  }

  /**
   * Ignores from now on the participants that are in the room already. To be called before the workload of a restarted agent
   * is created; only the first call counts. Throws when the media server does not answer.
   */
  async ignoreGhosts({ sessionId }: Pick<LiveAgentRow, 'sessionId'>): Promise<void> {
    if (this.#ghosts) return;
    const present = await this.#options.rooms.listParticipants(sessionId);
    this.#ghosts = new Set(present.map(({ sid }) => sid));
  }

  /** Returns the agent's participant if the agent is ready. Throws when the media server does not answer. */
  async findReady(row: AgentKey): Promise<ListedParticipant | undefined> {
    const { rooms, announceTimeoutMs } = this.#options;
    const listed = await rooms.listParticipants(row.sessionId);
    const participant = this.#find(
      row,
      listed.filter(({ sid }) => !this.#ghosts?.has(sid)),
    );
    if (participant?.state !== 'active') {
      this.#activeSince = undefined;
      return undefined;
    }
    this.#activeSince ??= performance.now();
    const isOverdue = performance.now() - this.#activeSince >= announceTimeoutMs;
    return participant.isAnnounced || isOverdue ? participant : undefined;
  }

  #find(
    { id, role }: AgentKey,
    participants: readonly ListedParticipant[],
  ): ListedParticipant | undefined {
    const identity = agentIdentity({ role, agentId: id });
    const own = participants.find((participant) => participant.identity === identity);
    if (own || !this.#options.hasMediaKeys) return own;
    // The rule: an agent with the media server's keys may join under an identity of its own. It is then the participant that
    // is not hidden, as recorders are, and whose identity our tokens give to no person and no agent.
    return participants.find((participant) => !participant.isHidden && isForeign(participant));
  }
}
