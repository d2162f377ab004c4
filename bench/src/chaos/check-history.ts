/** A part of a long text: the text up to the end of this part, and when the part was sent. */
export interface SentPart {
  readonly text: string;
  readonly sentAt: number;
}

export interface ReceivedMessage {
  /** Null if the message was sent without an id, so that each receiver gives it a different one. */
  readonly id: string | null;
  readonly content: string;
  /** Milliseconds since the epoch. Senders and listener share one clock. */
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly parts?: readonly SentPart[];
}

interface StoredMessage {
  readonly id: string;
  readonly content: string;
  readonly isPending?: boolean;
}

interface Gap {
  readonly from: number;
  readonly to: number;
}

/** What was sent in a session's room, what an independent listener received, and what the history contains. */
export interface Evidence {
  /** The contents by channel. LiveKit keeps the order of what one sender sends on one channel. */
  readonly sent: Readonly<Record<string, readonly string[]>>;
  readonly received: readonly ReceivedMessage[];
  readonly accepted: readonly string[];
  readonly stored: readonly StoredMessage[];
  readonly gaps: readonly Gap[];
  readonly gapMessages: readonly Gap[];
}

export interface HistoryCheck {
  readonly received: number;
  readonly stored: number;
  readonly inGaps: number;
  readonly gaps: number;
  readonly gapMs: number;
  readonly faults: readonly string[];
}

/** The bounds of a gap may be wrong by this much. */
const TOLERANCE_MS = 1000;

export function checkHistory(evidence: Evidence): HistoryCheck {
  const { received, stored, gaps } = evidence;
  const sent = new Set(Object.values(evidence.sent).flat());
  const ids = new Set(stored.map(({ id }) => id));
  const contents = new Set(stored.map(({ content }) => content));
  const missing = [
    ...received.filter(({ id, content }) => !(id === null ? contents.has(content) : ids.has(id))),
    ...cutOff(evidence),
  ];
  const lost = missing.filter((message) => !gaps.some((gap) => excuses(gap, message)));
  return {
    received: received.length,
    stored: stored.length,
    inGaps: missing.length - lost.length,
    gaps: gaps.length,
    gapMs: gaps.reduce((before, { from, to }) => before + to - from, 0),
    faults: [
      ...lost.map(
        ({ content, receivedAt }) => `lost: ${content} (${new Date(receivedAt).toISOString()})`,
      ),
      ...evidence.accepted.filter((id) => !ids.has(id)).map((id) => `accepted and lost: ${id}`),
      ...duplicates(stored).map((content) => `stored twice: ${content}`),
      ...neverSent(stored, sent).map((content) => `never sent: ${content}`),
      ...outOfOrder(evidence).map((content) => `out of order: ${content}`),
      ...unmatchedGaps(evidence).map(
        ({ from }) => `gap without a message: ${new Date(from).toISOString()}`,
      ),
    ],
  };
}

export function sum(checks: readonly HistoryCheck[]): HistoryCheck {
  const total = (count: (check: HistoryCheck) => number) =>
    checks.reduce((before, check) => before + count(check), 0);
  return {
    received: total(({ received }) => received),
    stored: total(({ stored }) => stored),
    inGaps: total(({ inGaps }) => inGaps),
    gaps: total(({ gaps }) => gaps),
    gapMs: total(({ gapMs }) => gapMs),
    faults: checks.flatMap(({ faults }) => faults),
  };
}

/**
 * Returns whether a recorder may have missed the message in the gap. The server delivered the message between `sentAt` and
 * `receivedAt`. A frozen server delivers later to some participants than to others.
 */
function excuses({ from, to }: Gap, { sentAt, receivedAt }: ReceivedMessage): boolean {
  return receivedAt >= from - TOLERANCE_MS && sentAt <= to + TOLERANCE_MS;
}

/** Returns a message for the missing rest of each long text of which only the beginning is in the history. */
function cutOff({ received, stored }: Evidence): ReceivedMessage[] {
  const byId = new Map(stored.map((message) => [message.id, message.content]));
  return received.flatMap(({ parts = [], ...message }) => {
    const content = byId.get(message.id ?? '');
    const missing = parts.find(({ text }) => content !== undefined && !content.startsWith(text));
    return missing ? { ...message, sentAt: missing.sentAt } : [];
  });
}

function neverSent(stored: readonly StoredMessage[], sent: ReadonlySet<string>): string[] {
  return stored.flatMap(({ content, isPending }) => {
    if (sent.has(content)) return [];
    const isBeginning = isPending && [...sent].some((whole) => whole.startsWith(content));
    return isBeginning ? [] : content;
  });
}

function duplicates(stored: readonly StoredMessage[]): string[] {
  const seen = new Set<string>();
  return stored.flatMap(({ content }) => (seen.size === seen.add(content).size ? [content] : []));
}

function outOfOrder({ sent, stored }: Evidence): string[] {
  const positions = new Map(stored.map(({ content }, position) => [content, position]));
  return Object.values(sent).flatMap((channel) => {
    let newest = -1;
    return channel.filter((content) => {
      const position = positions.get(content) ?? newest;
      const isLate = position < newest;
      newest = Math.max(newest, position);
      return isLate;
    });
  });
}

function unmatchedGaps({ gaps, gapMessages }: Evidence): Gap[] {
  const without = (some: readonly Gap[], others: readonly Gap[]) =>
    some.filter(({ from }) => !others.some((other) => other.from === from));
  return [...without(gaps, gapMessages), ...without(gapMessages, gaps)];
}
