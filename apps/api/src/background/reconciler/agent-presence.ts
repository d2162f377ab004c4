import { agentIdentity } from '@session/contract/room';
import type { LiveAgentRow } from '@session/db';
import { isForeign, type ListedParticipant } from '@session/media/server';
import type { SupervisionDeps } from './supervision.ts';

/**
 * Finds out whether one workload of an agent is ready in its room. An agent is ready when it has announced itself
 * there, because only the agent itself can report that it receives messages and can answer. A participant that the
 * server lists as active may not be connected on its own side yet, or may give up. Measured on a loaded machine, 18 of
 * 240 connections still missed packets right after the SDK had called them connected, and none of 400 did after
 * announcing themselves. An agent that has not announced itself after `announceTimeoutMs` as an active participant
 * counts as ready too.
 *
 * A killed program stays in the room as a ghost: the media server waits some 15 s for its return, and lists it as
 * active and announced. The next workload has the same identity.
 */
export class AgentPresence {
  readonly #deps: SupervisionDeps;
  #activeSince: number | undefined;
  #ghosts: ReadonlySet<string> | undefined;

  constructor(deps: SupervisionDeps) {
    this.#deps = deps;
  }

  /**
   * Ignores from now on the participants that are already in the room. Call it before the workload of a restarted agent
   * is created; only the first call counts. Throws when the media server does not answer.
   */
  async ignoreGhosts({ sessionId }: LiveAgentRow): Promise<void> {
    if (this.#ghosts) return;
    const present = await this.#deps.rooms.listParticipants(sessionId);
    this.#ghosts = new Set(present.map(({ sid }) => sid));
  }

  async findReady(row: LiveAgentRow): Promise<ListedParticipant | undefined> {
    const { rooms, limits } = this.#deps;
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
    const isOverdue = performance.now() - this.#activeSince >= limits.announceTimeoutMs;
    return participant.isAnnounced || isOverdue ? participant : undefined;
  }

  #find(
    { id, role }: LiveAgentRow,
    participants: readonly ListedParticipant[],
  ): ListedParticipant | undefined {
    const identity = agentIdentity({ role, agentId: id });
    const own = participants.find((participant) => participant.identity === identity);
    if (own || !this.#deps.agents.hasMediaKeys) return own;
    // An agent with the media server's keys may join under an identity of its own choice. Then it is the participant
    // that is not hidden (recorders are hidden), and whose identity no token of ours grants.
    return participants.find((participant) => !participant.isHidden && isForeign(participant));
  }
}
