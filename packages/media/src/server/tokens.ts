import { randomBytes } from 'node:crypto';
import { agentIdentity } from '@session/contract/room';
import type { VideoGrant } from 'livekit-server-sdk';
import type { MediaServer } from './media-server.ts';
import { AccessToken, TrackSource } from './server-sdk.ts';

const JOIN_SECONDS = 600;

export interface RoomToken {
  readonly token: string;
  readonly identity: string;
  readonly expiresAt: string;
}

/** Returns a token to join `room` within ten minutes, to speak and listen, with a new identity. */
export async function userToken(
  server: MediaServer,
  user: {
    room: string;
    userId: string;
    name: string;
    attributes?: Readonly<Record<string, string>>;
  },
): Promise<RoomToken> {
  const { room, userId, name, attributes } = user;
  const identity = `user-${userId}-${randomBytes(3).toString('hex')}`;
  const bearer = {
    identity,
    name,
    lifetimeSeconds: JOIN_SECONDS,
    ...(attributes && { attributes }),
  };
  return await sign(server, bearer, speakerGrant(room));
}

/**
 * Returns a token with which a person can join `room` within ten minutes, to speak in the place of its agents.
 * Participants may change their attributes, so the identity shows who is an operator: see `isOperator`.
 */
export async function operatorToken(
  server: MediaServer,
  { room, userId, name }: { room: string; userId: string; name: string },
): Promise<RoomToken> {
  const identity = `user-${userId}-operator-${randomBytes(3).toString('hex')}`;
  return await sign(server, { identity, name, lifetimeSeconds: JOIN_SECONDS }, speakerGrant(room));
}

/**
 * Returns a token to follow `room`, hidden and unable to send. Its identity is new, because the same person may also
 * take part.
 */
export async function observerToken(
  server: MediaServer,
  { room, userId }: { room: string; userId: string },
): Promise<RoomToken> {
  const identity = `observer-${userId}-${randomBytes(3).toString('hex')}`;
  return await sign(server, { identity, lifetimeSeconds: JOIN_SECONDS }, hiddenGrant(room));
}

/** Returns whether `userToken`, `operatorToken` or `observerToken` made `identity` for this user. */
export function isIdentityOf(userId: string, identity: string): boolean {
  return ['user', 'observer'].some((mode) => identity.startsWith(`${mode}-${userId}-`));
}

/**
 * Returns a token for an agent to join `room` within `lifetimeSeconds` (ten minutes). To rejoin, the agent uses the token
 * that the server renewed (`JoinedRoom.token`).
 */
export async function agentToken(
  server: MediaServer,
  agent: { room: string; role: string; agentId: string; lifetimeSeconds?: number },
): Promise<RoomToken> {
  const { room, role, lifetimeSeconds = JOIN_SECONDS } = agent;
  const identity = agentIdentity(agent);
  const bearer = { identity, name: role, kind: 'agent', lifetimeSeconds };
  return await sign(server, bearer, speakerGrant(room));
}

export type TokenOwner = { readonly userId: string } | { readonly role: string };

/** Returns for whom the token with this identity was made; undefined for any other token than those of people and agents. */
export function tokenOwner(identity: string): TokenOwner | undefined {
  const userId = /^(?:user|observer)-([0-9a-f-]{36})-(?:operator-)?[0-9a-f]{6}$/.exec(
    identity,
  )?.[1];
  if (userId !== undefined) return { userId };
  const role = /^agent-([a-z-]+)-[0-9a-f]{8}$/.exec(identity)?.[1];
  return role === undefined ? undefined : { role };
}

/** Returns whether this identity belongs to none of our tokens for people and agents. */
export function isForeign({ identity }: { readonly identity: string }): boolean {
  return tokenOwner(identity) === undefined;
}

/**
 * Returns a token for a recorder to join `room` within ten minutes, hidden and unable to send. It has no `recorder`
 * grant, with which the server closes a room that contains only recorders.
 */
export async function recorderToken(
  server: MediaServer,
  { room, identity }: { room: string; identity: string },
): Promise<RoomToken> {
  return await sign(server, { identity, lifetimeSeconds: JOIN_SECONDS }, hiddenGrant(room));
}

function hiddenGrant(room: string): VideoGrant {
  return {
    roomJoin: true,
    room,
    hidden: true,
    canSubscribe: true,
    canPublish: false,
    canPublishData: false,
    canUpdateOwnMetadata: false,
  };
}

function speakerGrant(room: string): VideoGrant {
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
  readonly attributes?: Readonly<Record<string, string>>;
  readonly lifetimeSeconds: number;
}

async function sign(
  { apiKey, apiSecret }: MediaServer,
  { identity, name, kind, attributes, lifetimeSeconds }: Bearer,
  grant: VideoGrant,
): Promise<RoomToken> {
  const accessToken = new AccessToken(apiKey, apiSecret, { identity, ttl: lifetimeSeconds });
  if (name) accessToken.name = name;
  if (kind) accessToken.kind = kind;
  if (attributes) accessToken.attributes = { ...attributes };
  accessToken.addGrant(grant);
  // The library computes the expiry from a separate reading of the clock, which may differ by a second.
  const expiresAt = new Date((Math.floor(Date.now() / 1000) + lifetimeSeconds) * 1000);
  return { token: await accessToken.toJwt(), identity, expiresAt: expiresAt.toISOString() };
}
