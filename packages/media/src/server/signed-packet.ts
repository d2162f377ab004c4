import {
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { isFields, MAX_PACKET_BYTES } from '@session/contract/room';
import type { MediaKey } from './media-server.ts';

/** The bytes that precede the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const PURPOSE = 'packets of the server';
/** Limited, because a receiver could send the packet again, but far longer than clocks differ. */
const VALID_MS = 300_000;

export type EncodePacket = (room: string, packet: object) => Uint8Array<ArrayBuffer>;

export type IsSigned = (room: string, packet: unknown) => boolean;

/**
 * Returns a function that signs packets for a room, with a key derived from the server's secret. The signature is needed
 * because a packet without a sender may also come from a participant that is not announced yet. If the signature makes a
 * packet too large, the packet loses both the signature and its sender.
 */
export function packetEncoder({ apiSecret }: Pick<MediaKey, 'apiSecret'>): EncodePacket {
  const key = privateKey(apiSecret);
  return (room, packet) => {
    const dated = { ...packet, signedAt: Date.now() };
    const signature = sign(null, signedBytes(room, dated), key).toString('base64url');
    const signed = new TextEncoder().encode(JSON.stringify({ ...dated, signature }));
    if (signed.byteLength <= MAX_PACKET_BYTES) return signed;
    return new TextEncoder().encode(JSON.stringify({ ...packet, sender: undefined }));
  };
}

/** Returns the public key that belongs to a media server's secret, in base64url. It is not secret. */
export function packetPublicKey({ apiSecret }: Pick<MediaKey, 'apiSecret'>): string {
  return createPublicKey(privateKey(apiSecret)).export({ format: 'jwk' }).x ?? '';
}

/**
 * Returns a function that checks signatures with a public key. A signature is valid for five minutes. Throws when `publicKey`
 * is not a key.
 */
export function packetVerifier(publicKey: string): IsSigned {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey };
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  return (room, packet) => {
    if (!isFields(packet)) return false;
    const { signature, ...rest } = packet;
    if (typeof signature !== 'string') return false;
    // The previous release signs without a time.
    const { signedAt = Date.now() } = rest;
    if (typeof signedAt !== 'number' || Date.now() - signedAt > VALID_MS) return false;
    return verify(null, signedBytes(room, rest), key, Buffer.from(signature, 'base64url'));
  };
}

function privateKey(apiSecret: string): KeyObject {
  const seed = Buffer.from(hkdfSync('sha256', apiSecret, '', PURPOSE, 32));
  const key = Buffer.concat([PKCS8_HEAD, seed]);
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}

function signedBytes(room: string, packet: object): Buffer {
  return Buffer.from(JSON.stringify([room, packet]));
}
