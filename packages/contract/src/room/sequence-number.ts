import { type Fields, isCount } from './fields.ts';

/** `n` counts the recorded messages of a sender from 1 on. `q` tells this count from others, such as that of its next program. */
export interface SequenceNumber {
  readonly q: string;
  readonly n: number;
}

const NAME = /^[\w-]{1,16}$/;
const POSITIVE = /^[1-9]\d*$/;

/** Returns the sequence number in the field `seq` of a packet; undefined when there is none, or it is malformed. */
export function sequenceOfPacket({ seq }: Fields): SequenceNumber | undefined {
  const { q, n }: Fields = Object(seq);
  return typeof q === 'string' && NAME.test(q) && isCount(n) && n > 0 ? { q, n } : undefined;
}

/** Returns the sequence number in an attribute, which is `q:n`; undefined when it is malformed. */
export function sequenceOfAttribute(attribute: string): SequenceNumber | undefined {
  const [q, n = '', ...rest] = attribute.split(':');
  return rest.length === 0 && POSITIVE.test(n)
    ? sequenceOfPacket({ seq: { q, n: Number(n) } })
    : undefined;
}

export function sequenceAttribute({ q, n }: SequenceNumber): string {
  return `${q}:${n}`;
}
