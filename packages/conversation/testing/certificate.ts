import { generateKeyPairSync, sign } from 'node:crypto';

/** A certificate that is its own authority, and its key, both as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const SEQUENCE = 0x30;
const SET = 0x31;
const OBJECT_ID = 0x06;
const ECDSA_WITH_SHA256 = '2a8648ce3d040302';
const COMMON_NAME = '550403';
const ALTERNATIVE_NAME = '551d11';

/** Returns a new certificate for a host. Node can make keys, but no certificates. */
export function makeCertificate(host: string): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(SEQUENCE, der(OBJECT_ID, hex(ECDSA_WITH_SHA256)));
  const commonName = der(SEQUENCE, der(OBJECT_ID, hex(COMMON_NAME)), der(0x0c, Buffer.from(host)));
  const name = der(SEQUENCE, der(SET, commonName));
  const validity = der(SEQUENCE, ...['20200101000000Z', '20991231235959Z'].map(timeOf));
  const alternative = der(SEQUENCE, der(0x82, Buffer.from(host)));
  const extension = der(SEQUENCE, der(OBJECT_ID, hex(ALTERNATIVE_NAME)), der(0x04, alternative));
  const body = der(
    SEQUENCE,
    der(0xa0, der(0x02, hex('02'))),
    der(0x02, hex('01')),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(SEQUENCE, extension)),
  );
  const signature = der(0x03, hex('00'), sign('sha256', body, privateKey));
  const base64 = der(SEQUENCE, body, algorithm, signature).toString('base64');
  const lines = base64.match(/.{1,64}/g) ?? [];
  return {
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
}

/** Returns a value in the encoding of certificates: its tag, its length and its parts. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const long = [length >> 8, length & 0xff];
  return Buffer.concat([
    Buffer.from([tag, ...(length < 128 ? [length] : [0x82, ...long])]),
    content,
  ]);
}

function timeOf(time: string): Buffer {
  return der(0x18, Buffer.from(time));
}

function hex(digits: string): Buffer {
  return Buffer.from(digits, 'hex');
}
