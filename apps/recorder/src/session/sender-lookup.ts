import {
  API_TOPIC,
  type ChatMessageEvent,
  isRecorder,
  type PacketEvent,
  type Participant,
  type PresenceEvent,
  packetFields,
  type RoomEvent,
  type TextStreamEvent,
  TRACK_ATTRIBUTE,
} from '@session/contract/room';
import { pause, withDeadline } from '@session/kit';
import type { IsSigned, ListedParticipant, PublishedTrack, RoomService } from '@session/media';
import type { SenderFinder } from '../message-path.ts';
import type { Announcer } from '../room/announcer.ts';
import type { Timing } from '../timing.ts';
import { PublishedTracks } from './published-tracks.ts';

const RETRY_MS = 100;
/** A room changes quickly: after this time, elimination proves nothing. */
const SURE_MS = 1000;

interface LookupDeps {
  readonly listParticipants: () => Promise<readonly ListedParticipant[]>;
  readonly announce: (participant: ListedParticipant) => void;
  readonly isSigned: (packet: unknown) => boolean;
  readonly senderMs: number;
}

/**
 * Finds the senders of events that came up to 3 s before their sender was announced, in the server's list, which has
 * participants at once.
 */
export class SenderLookup implements SenderFinder {
  readonly #deps: LookupDeps;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<readonly ListedParticipant[]> | undefined;
  readonly #tracks = new PublishedTracks();
  #announced: readonly PresenceEvent[] = [];

  constructor(deps: LookupDeps) {
    this.#deps = deps;
  }

  noteAnnounced(event: PresenceEvent): void {
    const since = event.receivedAt - this.#deps.senderMs;
    this.#announced = [...this.#announced.filter(({ receivedAt }) => receivedAt > since), event];
  }

  /**
   * Candidates are the listed participants that were unannounced, and those that were announced since and have left. A single
   * candidate is the sender. With several, or after a slow answer, the sender stays null: no sender is better than a wrong one.
   * The API's signature proves a packet without a request.
   */
  async completeSender(
    event: PacketEvent | ChatMessageEvent,
    announced: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<RoomEvent[]> {
    const isOfApi = event.type === 'packet' && event.topic === API_TOPIC;
    if (isOfApi && this.#isSignedForAll(event)) {
      return [{ ...event, isSigned: true, candidates: [] }];
    }
    const began = performance.now();
    const listed = await this.#list(signal);
    if (!listed) return [event];
    const isFresh = performance.now() - began < SURE_MS;
    const unannounced = listed.filter(
      ({ identity, isHidden }) =>
        !announced.has(identity) && !isHidden && !isRecorder({ identity }),
    );
    for (const participant of unannounced) this.#deps.announce(participant);
    const present = unannounced.map((participant) => joinOf(participant, event.receivedAt));
    const joins = [...present, ...this.#gone(event, announced, listed)];
    const [first] = joins;
    if (first && joins.length === 1 && isFresh && !isOfApi) {
      return [first, { ...event, sender: first.participant }];
    }
    return [...joins, { ...event, candidates: joins.map(({ participant }) => participant) }];
  }

  /**
   * Returns whether the API signed the packet for all participants. The API sends a missed text to one agent alone. If the
   * whole room receives such a text, another participant has repeated it.
   */
  #isSignedForAll({ payload }: PacketEvent): boolean {
    const packet = packetFields(payload);
    return packet?.['missed'] !== true && this.#deps.isSigned(packet);
  }

  #gone(
    { receivedAt }: RoomEvent,
    announced: ReadonlySet<string>,
    listed: readonly ListedParticipant[],
  ): PresenceEvent[] {
    const present = new Set(listed.map(({ sid }) => sid));
    return this.#announced.filter(
      ({ receivedAt: announcedAt, participant: { identity, sid } }) =>
        announcedAt >= receivedAt && !announced.has(identity) && !present.has(sid),
    );
  }

  noteTrack(track: PublishedTrack): void {
    this.#tracks.note(track);
  }

  async completeTextSender(event: TextStreamEvent, signal: AbortSignal): Promise<RoomEvent[]> {
    const { sender } = event;
    const known = this.#judgeTrack(event);
    if (sender.sid !== null && this.#isJudged(known)) return [known];
    const listed = await this.#list(signal);
    for (const { identity, trackSids } of listed ?? []) {
      for (const trackSid of trackSids) this.#tracks.note({ identity, trackSid });
    }
    const judged = this.#judgeTrack(withTranscribers(event, listed ?? []));
    const found = listed?.find(({ identity }) => identity === sender.identity);
    if (!found || sender.sid !== null) return [judged];
    this.#deps.announce(found);
    const join = joinOf(found, event.receivedAt);
    return [join, { ...judged, sender: join.participant }];
  }

  #judgeTrack(event: TextStreamEvent): TextStreamEvent {
    if (!event.transcribers) return event;
    const { identity } = event.sender;
    const { [TRACK_ATTRIBUTE]: trackSid } = event.attributes;
    const isOfTrack = trackSid !== undefined && this.#tracks.has({ identity, trackSid });
    return { ...event, isOfTrack };
  }

  #isJudged({ transcribers, isOfTrack, attributes }: TextStreamEvent): boolean {
    if (!transcribers) return true;
    return transcribers.length > 0 && (isOfTrack === true || !attributes[TRACK_ATTRIBUTE]);
  }

  async #list(signal: AbortSignal): Promise<readonly ListedParticipant[] | undefined> {
    const deadline = performance.now() + this.#deps.senderMs;
    for (;;) {
      try {
        return await withDeadline(this.#listOnce(), Math.max(0, deadline - performance.now()));
      } catch {
        const leftMs = deadline - performance.now();
        if (leftMs <= RETRY_MS || !(await pause(RETRY_MS, signal))) return undefined;
      }
    }
  }

  /** Callers during a request share the next request: its answer must be newer than their events. */
  #listOnce(): Promise<readonly ListedParticipant[]> {
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        const answer = this.#deps.listParticipants();
        this.#running = answer;
        this.#next = undefined;
        return answer;
      });
    return this.#next;
  }
}

function withTranscribers(
  event: TextStreamEvent,
  listed: readonly ListedParticipant[],
): TextStreamEvent {
  if (event.transcribers?.length !== 0) return event;
  const agents = listed.filter(({ kind }) => kind === 'agent');
  return { ...event, transcribers: agents.map(({ identity }) => identity) };
}

function joinOf(
  { identity, name, sid, kind, joinedAt }: ListedParticipant,
  receivedAt: number,
): PresenceEvent & { readonly participant: Participant } {
  const participant = { identity, name, sid, kind };
  return { type: 'participant_joined', participant, joinedAt, reason: null, receivedAt };
}

export function openSenderLookup(
  deps: {
    readonly rooms: RoomService;
    readonly announcer: Announcer;
    readonly isSigned: IsSigned;
    readonly timing: Timing;
  },
  sessionId: string,
): SenderLookup {
  const { rooms, announcer, isSigned, timing } = deps;
  return new SenderLookup({
    listParticipants: () => rooms.listParticipants(sessionId),
    announce: (participant) => announcer.announce(sessionId, participant),
    isSigned: (packet) => isSigned(sessionId, packet),
    senderMs: timing.senderMs,
  });
}
