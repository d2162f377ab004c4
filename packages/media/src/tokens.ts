import { randomBytes } from 'node:crypto';
import { AccessToken, TrackSource, type VideoGrant } from 'livekit-server-sdk';
import type { MediaServer } from './media-server.ts';

const JOIN_SECONDS = 600;

/** A token for one room, and what its bearer is called there. */
export interface RoomToken {
  readonly token: string;
  readonly identity: string;
  /** ISO 8601 UTC with milliseconds: until when it can be used to join. Whoever is in the room may stay. */
  readonly expiresAt: string;
}

/** Gives a token with which a person can join `room`, speak and listen, within ten minutes: each under a name of its own. */
export async function userToken(
  server: MediaServer,
  { room, userId, name }: { room: string; userId: string; name: string },
): Promise<RoomToken> {
  const identity = `${prefixOf(userId)}${randomBytes(3).toString('hex')}`;
  return await sign(server, { identity, name, lifetimeSeconds: JOIN_SECONDS }, speaking(room));
}

/** Whether it is with a token for that user that somebody is in a room as `identity`. */
export function isIdentityOf(userId: string, identity: string): boolean {
  return identity.startsWith(prefixOf(userId));
}

function prefixOf(userId: string): string {
  return `user-${userId}-`;
}

/**
 * Gives a token with which an agent can join `room`, speak and listen, and come back for as long as `lifetimeSeconds`,
 * its longest life.
 */
export async function agentToken(
  server: MediaServer,
  agent: { room: string; role: string; agentId: string; lifetimeSeconds: number },
): Promise<RoomToken> {
  const { room, role, lifetimeSeconds } = agent;
  const identity = agentIdentity(agent);
  const bearer = { identity, name: role, kind: 'agent', lifetimeSeconds };
  return await sign(server, bearer, speaking(room));
}

/** Gives what an agent is called in its room. The end of its id is used: ids that are made together begin alike. */
export function agentIdentity({ role, agentId }: { role: string; agentId: string }): string {
  return `agent-${role}-${agentId.slice(-8)}`;
}

/** Whether somebody is in a room under a name that none of our tokens for people and agents has. */
export function isForeign({ identity }: { readonly identity: string }): boolean {
  return !/^(?:user-[0-9a-f-]{36}-[0-9a-f]{6}|agent-[a-z-]+-[0-9a-f]{8})$/.test(identity);
}

/**
 * Gives a token with which a recorder can listen in `room`, unseen and unable to send anything, within ten minutes. It
 * has no `recorder` grant: with that one the server closes a room as soon as no other participant is left in it.
 */
export async function recorderToken(
  server: MediaServer,
  { room, identity }: { room: string; identity: string },
): Promise<RoomToken> {
  return await sign(
    server,
    { identity, lifetimeSeconds: JOIN_SECONDS },
    {
      roomJoin: true,
      room,
      hidden: true,
      canSubscribe: true,
      canPublish: false,
      canPublishData: false,
      canUpdateOwnMetadata: false,
    },
  );
}

/**
 * Voice and data both ways. Attributes may be set, since that is how a participant without a track announces itself;
 * else its first words reach others up to 3 s before they learn who it is.
 */
function speaking(room: string): VideoGrant {
  return {
    roomJoin: true,
    room,
    canSubscribe: true,
    canPublish: true,
    canPublishSources: [TrackSource.MICROPHONE],
    canPublishData: true,
    canUpdateOwnMetadata: true,
  };
}

interface Bearer {
  readonly identity: string;
  readonly name?: string;
  readonly kind?: string;
  readonly lifetimeSeconds: number;
}

async function sign(
  { apiKey, apiSecret }: MediaServer,
  { identity, name, kind, lifetimeSeconds }: Bearer,
  grant: VideoGrant,
): Promise<RoomToken> {
  const accessToken = new AccessToken(apiKey, apiSecret, { identity, ttl: lifetimeSeconds });
  if (name) accessToken.name = name;
  if (kind) accessToken.kind = kind;
  accessToken.addGrant(grant);
  // The library sets the end from its own reading of the clock; a second one may differ.
  const expiresAt = new Date((Math.floor(Date.now() / 1000) + lifetimeSeconds) * 1000);
  return { token: await accessToken.toJwt(), identity, expiresAt: expiresAt.toISOString() };
}
