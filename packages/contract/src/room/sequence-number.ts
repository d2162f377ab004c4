import { type Fields, isCount } from './fields.ts';

/**
 * `n` counts the recorded messages of a sender from 1. `q` distinguishes this count from others, for example from that of the
 * sender's next program.
 */
export interface SequenceNumber {
  readonly q: string;
  readonly n: number;
}

const NAME = /^[\w-]{1,16}$/;
const POSITIVE = /^[1-9]\d*$/;

export function sequenceOfPacket({ seq }: Fields): SequenceNumber | undefined {
  const { q, n }: Fields = Object(seq);
  return typeof q === 'string' && NAME.test(q) && isCount(n) && n > 0 ? { q, n } : undefined;
}

/** Returns the sequence number in an attribute (`q:n`); undefined when it is malformed. */
export function sequenceOfAttribute(attribute: string): SequenceNumber | undefined {
  const [q, n = '', ...rest] = attribute.split(':');
  return rest.length === 0 && POSITIVE.test(n)
    ? sequenceOfPacket({ seq: { q, n: Number(n) } })
    : undefined;
}

export function sequenceAttribute({ q, n }: SequenceNumber): string {
  return `${q}:${n}`;
}
