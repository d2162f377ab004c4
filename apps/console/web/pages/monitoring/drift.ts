import type { Statistics } from '@session/contract';

export interface Finding {
  readonly key: string;
  readonly isFine: boolean;
  readonly sentence: string;
  readonly advice: string | null;
}

interface Check {
  readonly fine: string;
  readonly one: string;
  readonly many: (count: string) => string;
  readonly advice: string;
}

const CHECKS: ReadonlyMap<string, Check> = new Map([
  [
    'unrecordedActiveSessions',
    {
      fine: 'Every active session is recorded.',
      one: '1 active session is not recorded.',
      many: (count) => `${count} active sessions are not recorded.`,
      advice:
        'Check that a recorder runs and reaches the media server. What is said until then is a gap.',
    },
  ],
  [
    'underRecordedSessions',
    {
      fine: 'Every active session has all its recorders.',
      one: '1 session has fewer recorders than it should have.',
      many: (count) => `${count} sessions have fewer recorders than they should have.`,
      advice: 'Start another recorder, or lower RECORDER_REDUNDANCY.',
    },
  ],
  [
    'agentsWithoutWorkload',
    {
      fine: 'Every running agent has its program.',
      one: '1 agent has no program.',
      many: (count) => `${count} agents have no program.`,
      advice: 'The API starts or ends them by itself. If this stays, look at the log of the API.',
    },
  ],
  [
    'staleRecorders',
    {
      fine: 'Every recorder reports.',
      one: '1 recorder does not report any more.',
      many: (count) => `${count} recorders do not report any more.`,
      advice: 'Other recorders take its sessions. Look at its log, then start it again.',
    },
  ],
  [
    'recordersOverCapacity',
    {
      fine: 'No recorder is over its capacity.',
      one: '1 recorder has more sessions than its capacity.',
      many: (count) => `${count} recorders have more sessions than their capacity.`,
      advice: 'Start another recorder, or raise RECORDER_CAPACITY.',
    },
  ],
  [
    'recordersWithWrongClock',
    {
      fine: 'Every recorder’s clock is right.',
      one: '1 recorder’s clock is wrong by more than 5 s.',
      many: (count) => `${count} recorders’ clocks are wrong by more than 5 s.`,
      advice: 'They correct the times that they store. Set the clock of their machines by NTP.',
    },
  ],
]);

/** Returns a finding for each kind of drift. An unknown kind of a newer API appears under its own name. */
export function findingsOf(drift: Readonly<Record<string, number>>): Finding[] {
  return Object.entries(drift).map(([key, count]) => findingOf(key, count));
}

function findingOf(key: string, count: number): Finding {
  const check = CHECKS.get(key);
  const isFine = count === 0;
  if (!check) {
    const advice = isFine ? null : 'This console does not know this figure yet: update it.';
    return { key, isFine, sentence: `${key}: ${count}`, advice };
  }
  if (isFine) return { key, isFine, sentence: check.fine, advice: null };
  const sentence = count === 1 ? check.one : check.many(count.toLocaleString('en'));
  return { key, isFine, sentence, advice: check.advice };
}

export function webhookFinding({ lastAt }: Statistics['webhooks']): Finding {
  const isFine = lastAt !== null;
  return {
    key: 'webhooks',
    isFine,
    sentence: isFine
      ? 'The media server reports to the recorders.'
      : 'No recorder has received a webhook of the media server since it started.',
    advice: isFine
      ? null
      : 'Without webhooks the first words of participants with LiveKit’s own clients may have no sender. Check the webhook address of the media server.',
  };
}
